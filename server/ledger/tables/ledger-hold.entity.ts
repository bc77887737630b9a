import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  booleanColumn,
  countColumn,
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  wordColumn,
} from '../../database/columns.js';
import type { HoldState } from '../ledger-types.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** What one call has reserved. Its id is the call's. */
@Entity('ledger_hold')
@Check(
  'ck_ledger_hold_amounts',
  'amount > 0 AND posted >= 0 AND posted <= amount AND progress_prompt_tokens >= 0 AND progress_completion_tokens >= 0',
)
@Index('ix_ledger_hold_lease', ['state', 'leaseUntilMs'])
// Only MySQL has it, for its foreign key; migration 0008 says why.
@Index('ix_ledger_hold_wallet', { synchronize: false })
export class LedgerHoldEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) wallet!: string;
  @Column(idColumn) keyId!: string;
  @Column(millicreditsColumn) amount!: number;
  @Column(wordColumn) state!: HoldState;

  /** What was charged out of the hold when it was resolved. */
  @Column(millicreditsColumn) posted!: number;

  /** What has provably been used so far; charged if the process that runs the call dies. */
  @Column(countColumn) progressPromptTokens!: number;

  @Column(countColumn) progressCompletionTokens!: number;
  @Column(instantColumn) leaseUntilMs!: number;

  /** The server process that runs the call. */
  @Column(idColumn) instance!: string;

  @Column(nameColumn) model!: string;
  @Column(nameColumn) provider!: string;
  @Column(wordColumn) tier!: string;

  /** Frozen when the hold was placed. */
  @Column(integerColumn) millicreditsPerToken!: number;

  @Column(booleanColumn) isStreamed!: boolean;
  @Column(instantColumn) startedAtMs!: number;

  /** The period of the key's spend limit in which it counts, such as `day 2026-01-31`; null: the key has no limit. */
  @Column({ ...wordColumn, nullable: true }) spendPeriod!: string | null;

  /** Per mille of the list price that the account pays for the call; null: 1,000. Frozen like the price. */
  @Column({ ...integerColumn, nullable: true }) priceMultiplier!: number | null;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'wallet', foreignKeyConstraintName: 'fk_ledger_hold_wallet' })
  walletAccount?: LedgerAccountEntity;
}
