import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, millicreditsColumn, nameColumn } from '../../database/columns.js';

/**
 * What was added to an hour of use after the time from which it may be summed over all accounts. Written beside `usage_hour`, in the
 * same transaction: an hour less this is what it was when it was summed.
 */
@Entity('usage_late')
@Index('ix_usage_late_time', ['hourMs'])
export class UsageLateEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** The beginning of the hour, in UTC, in which the calls began. */
  @PrimaryColumn({ ...instantColumn, name: 'hour_ms' })
  hourMs!: number;

  @PrimaryColumn({ ...idColumn, name: 'key_id' })
  keyId!: string;

  @PrimaryColumn(nameColumn)
  model!: string;

  @PrimaryColumn(nameColumn)
  provider!: string;

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

  @Column({ ...millicreditsColumn, name: 'absorbed_millicredits' })
  absorbedMillicredits!: number;

  /** Of how many of the calls the two below are summed; fewer than all: a release that did not sum them wrote the others, and null is 0. */
  @Column({ ...countColumn, name: 'told_calls', nullable: true })
  toldCalls!: number | null;

  /** Of the tokens in, those that providers read from their caches. */
  @Column({ ...countColumn, name: 'cached_tokens', nullable: true })
  cachedTokens!: number | null;

  /** Of the tokens out, those that were reasoned. */
  @Column({ ...countColumn, name: 'reasoning_tokens', nullable: true })
  reasoningTokens!: number | null;
}
