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
export type UsageSetKind = 'tag' | 'end_user' | 'both';

/**
 * What the receipts of an account and an hour or a day came to when its parts were summed. While that is what the ledger's own hours
 * say, the parts are what the receipts are.
 */
@Entity('usage_set')
@Index('ix_usage_set_span', ['spanMs', 'startMs'])
export class UsageSetEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(wordColumn) kind!: UsageSetKind;

  /** How long it is: an hour or a day. */
  @PrimaryColumn(integerColumn) spanMs!: number;

  /** When it begins, in UTC. */
  @PrimaryColumn(instantColumn) startMs!: number;

  /** What its parts are known by; summed again, it has another. */
  @Column(idColumn) id!: string;

  @Column(countColumn) calls!: number;
  @Column(countColumn) failedCalls!: number;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;
}
