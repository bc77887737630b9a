import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, textColumn } from '../database/columns.js';

/** Limits that an account has in place of the server's. One without a row has the server's. */
@Entity('account_limit')
export class AccountLimitEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** null, as in each that follows: the server's. */
  @Column({ ...integerColumn, name: 'requests_per_minute', nullable: true })
  requestsPerMinute!: number | null;

  @Column({ ...integerColumn, name: 'tokens_per_minute', nullable: true })
  tokensPerMinute!: number | null;

  @Column({ ...integerColumn, name: 'concurrent_calls', nullable: true })
  concurrentCalls!: number | null;

  @Column({ ...integerColumn, name: 'keys_max', nullable: true })
  keysMax!: number | null;

  /** Public names, as a JSON list; null: all. */
  @Column({ ...textColumn, nullable: true })
  models!: string | null;

  @Column({ ...instantColumn, name: 'since_ms' })
  sinceMs!: number;
}
