import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, wordColumn } from '../database/columns.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';
import type { HoldState } from './ledger-types.js';

/** What one call has reserved. Its id is the call's. */
@Entity('ledger_hold')
@Check(
  'ck_ledger_hold_amounts',
  'amount > 0 AND posted >= 0 AND posted <= amount AND progress >= 0 AND progress <= amount',
)
@Index('ix_ledger_hold_lease', ['state', 'leaseUntilMs'])
@Index('ix_ledger_hold_wallet', ['wallet', 'state'])
export class LedgerHoldEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column(idColumn)
  wallet!: string;

  @Column({ ...idColumn, name: 'key_id' })
  keyId!: string;

  @Column(millicreditsColumn)
  amount!: number;

  @Column(wordColumn)
  state!: HoldState;

  /** What was charged out of the hold when it was resolved. */
  @Column(millicreditsColumn)
  posted!: number;

  /** What has provably been used so far; charged if the instance that runs the call dies. */
  @Column(millicreditsColumn)
  progress!: number;

  @Column({ ...instantColumn, name: 'lease_until_ms' })
  leaseUntilMs!: number;

  /** The server process that runs the call. */
  @Column(idColumn)
  instance!: string;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'wallet', foreignKeyConstraintName: 'fk_ledger_hold_wallet' })
  walletAccount?: LedgerAccountEntity;
}
