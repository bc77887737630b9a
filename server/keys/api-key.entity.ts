import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  countColumn,
  hashColumn,
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  textColumn,
  wordColumn,
} from '../database/columns.js';
import type { SpendPeriod } from '../kernel/spend-period.js';

/** A secret that callers send to the proxy; the secret itself is not stored, only its hash. */
@Entity('api_key')
@Index('ux_api_key_secret', ['secretHash'], { unique: true })
@Index('ux_api_key_previous_secret', ['previousSecretHash'], { unique: true })
@Index('ix_api_key_account', ['accountId'])
@Index('ix_api_key_masked', ['maskedSecret'])
export class ApiKeyEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(nameColumn) name!: string;
  @Column(hashColumn) secretHash!: string;

  /** The person who made it, by the account that they signed up with; null: the account's first owner, before there were members. */
  @Column({ ...idColumn, nullable: true }) madeBy!: string | null;

  /** Enough of the secret for its owner to tell it from others, and too little to use it. */
  @Column(wordColumn) maskedSecret!: string;

  @Column(instantColumn) createdAtMs!: number;

  /** To the minute. */
  @Column({ ...instantColumn, nullable: true }) lastUsedAtMs!: number | null;

  @Column({ ...instantColumn, nullable: true }) revokedAtMs!: number | null;

  /** Words with spaces between. */
  @Column(nameColumn) scopes!: string;

  /** The models that it may call, as JSON; null: all. */
  @Column({ ...textColumn, nullable: true }) models!: string | null;

  /** The providers that may answer it, as JSON; null: all. */
  @Column({ ...textColumn, nullable: true }) providers!: string | null;

  /** The networks that it may be used from, as JSON; null: any. */
  @Column({ ...textColumn, nullable: true }) addresses!: string | null;

  @Column({ ...millicreditsColumn, nullable: true }) spendLimitMillicredits!: number | null;
  @Column({ ...wordColumn, nullable: true }) spendPeriod!: SpendPeriod | null;

  /**
   * What all keys of whoever made it may spend together in a month; null: they have no budget. Not a setting of the key. An ended key
   * keeps what it was, but for the last one that they made.
   */
  @Column({ ...millicreditsColumn, nullable: true }) makerBudgetMillicredits!: number | null;

  @Column({ ...integerColumn, nullable: true }) requestsPerMinute!: number | null;
  @Column({ ...integerColumn, nullable: true }) tokensPerMinute!: number | null;
  @Column({ ...instantColumn, nullable: true }) expiresAtMs!: number | null;

  /** The secret before the last rotation, which works until the grace ends. */
  @Column({ ...hashColumn, nullable: true }) previousSecretHash!: string | null;

  @Column({ ...instantColumn, nullable: true }) graceEndsAtMs!: number | null;

  /** Grows with each change of what it may do or of its secret, so that what an instance remembers of it is known as old. */
  @Column(countColumn) revision!: number;

  // Named by its table, since keys know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_api_key_account_id' })
  account?: object;
}
