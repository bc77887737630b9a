import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, textColumn } from '../database/columns.js';

/** Limits that an account has in place of the server's. One without a row has the server's. */
@Entity('account_limit')
export class AccountLimitEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** null, as in each that follows: the server's. */
  @Column({ ...integerColumn, nullable: true }) requestsPerMinute!: number | null;

  @Column({ ...integerColumn, nullable: true }) tokensPerMinute!: number | null;
  @Column({ ...integerColumn, nullable: true }) concurrentCalls!: number | null;
  @Column({ ...integerColumn, nullable: true }) keysMax!: number | null;

  /** Public names, as a JSON list; null: all. */
  @Column({ ...textColumn, nullable: true }) models!: string | null;

  @Column(instantColumn) sinceMs!: number;
}
