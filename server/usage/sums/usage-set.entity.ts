import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  countColumn,
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  wordColumn,
} from '../../database/columns.js';

/** By what the parts of a set are divided beside key, model, provider and outcome. */
export type UsageSetKind = 'tag' | 'end_user';

/**
 * What the receipts of an account and an hour or a day came to when its parts were summed. While that is what the ledger's own hours
 * say, the parts are what the receipts are.
 */
@Entity('usage_set')
@Index('ix_usage_set_span', ['spanMs', 'startMs'])
export class UsageSetEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @PrimaryColumn(wordColumn)
  kind!: UsageSetKind;

  /** How long it is: an hour or a day. */
  @PrimaryColumn({ ...integerColumn, name: 'span_ms' })
  spanMs!: number;

  /** When it begins, in UTC. */
  @PrimaryColumn({ ...instantColumn, name: 'start_ms' })
  startMs!: number;

  /** What its parts are known by; summed again, it has another. */
  @Column(idColumn)
  id!: string;

  @Column(countColumn)
  calls!: number;

  @Column({ ...countColumn, name: 'failed_calls' })
  failedCalls!: number;

  @Column({ ...countColumn, name: 'prompt_tokens' })
  promptTokens!: number;

  @Column({ ...countColumn, name: 'completion_tokens' })
  completionTokens!: number;

  @Column({ ...millicreditsColumn, name: 'charged_millicredits' })
  chargedMillicredits!: number;
}
