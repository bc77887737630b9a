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
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column(nameColumn)
  name!: string;

  @Column({ ...hashColumn, name: 'secret_hash' })
  secretHash!: string;

  /** The person who made it, by the account that they signed up with; null: the account's first owner, before there were members. */
  @Column({ ...idColumn, name: 'made_by', nullable: true })
  madeBy!: string | null;

  /** Enough of the secret for its owner to tell it from others, and too little to use it. */
  @Column({ ...wordColumn, name: 'masked_secret' })
  maskedSecret!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  /** To the minute. */
  @Column({ ...instantColumn, name: 'last_used_at_ms', nullable: true })
  lastUsedAtMs!: number | null;

  @Column({ ...instantColumn, name: 'revoked_at_ms', nullable: true })
  revokedAtMs!: number | null;

  /** Words with spaces between. */
  @Column(nameColumn)
  scopes!: string;

  /** The models that it may call, as JSON; null: all. */
  @Column({ ...textColumn, nullable: true })
  models!: string | null;

  /** The providers that may answer it, as JSON; null: all. */
  @Column({ ...textColumn, nullable: true })
  providers!: string | null;

  /** The networks that it may be used from, as JSON; null: any. */
  @Column({ ...textColumn, nullable: true })
  addresses!: string | null;

  @Column({ ...millicreditsColumn, name: 'spend_limit_millicredits', nullable: true })
  spendLimitMillicredits!: number | null;

  @Column({ ...wordColumn, name: 'spend_period', nullable: true })
  spendPeriod!: SpendPeriod | null;

  /** What all keys of whoever made it may spend together in a month; null: they have no budget. Not a setting of the key. */
  @Column({ ...millicreditsColumn, name: 'maker_budget_millicredits', nullable: true })
  makerBudgetMillicredits!: number | null;

  @Column({ ...integerColumn, name: 'requests_per_minute', nullable: true })
  requestsPerMinute!: number | null;

  @Column({ ...integerColumn, name: 'tokens_per_minute', nullable: true })
  tokensPerMinute!: number | null;

  @Column({ ...instantColumn, name: 'expires_at_ms', nullable: true })
  expiresAtMs!: number | null;

  /** The secret before the last rotation, which works until the grace ends. */
  @Column({ ...hashColumn, name: 'previous_secret_hash', nullable: true })
  previousSecretHash!: string | null;

  @Column({ ...instantColumn, name: 'grace_ends_at_ms', nullable: true })
  graceEndsAtMs!: number | null;

  /** Grows with each change of what it may do or of its secret, so that what an instance remembers of it is known as old. */
  @Column(countColumn)
  revision!: number;

  // Named by its table, since keys know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_api_key_account_id' })
  account?: object;
}
