import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  countColumn,
  idColumn,
  instantColumn,
  millicreditsColumn,
  transferIdColumn,
  wordColumn,
} from '../../database/columns.js';
import type { TransferType } from '../ledger-types.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** One row of the journal. Append-only: the database itself refuses to change or delete it. */
@Entity('ledger_transfer')
@Check('ck_ledger_transfer_amount', 'amount >= 0 AND amount <= 9000000000000000 AND wallet_seq >= 1')
@Check('ck_ledger_transfer_sides', 'debit_account <> credit_account')
@Index('ux_ledger_transfer_id', ['id'], { unique: true })
@Index('ux_ledger_transfer_resolves', ['resolves'], { unique: true })
@Index('ix_ledger_transfer_hold', ['holdId'])
@Index('ix_ledger_transfer_time', ['atMs'])
export class LedgerTransferEntity {
  @PrimaryColumn(idColumn) wallet!: string;

  /** 1, 2, 3 … without a gap within the wallet. */
  @PrimaryColumn(countColumn) walletSeq!: number;

  /** Made from what happened, so that the same thing cannot be booked twice. */
  @Column(transferIdColumn) id!: string;

  @Column(wordColumn) type!: TransferType;
  @Column(idColumn) debitAccount!: string;
  @Column(idColumn) creditAccount!: string;
  @Column(millicreditsColumn) amount!: number;
  @Column(millicreditsColumn) availableAfter!: number;

  /** The balance as a person reads it: credits in minus credits used, whatever running calls have reserved. */
  @Column(millicreditsColumn) postedAfter!: number;

  @Column({ ...idColumn, nullable: true }) holdId!: string | null;

  /** The hold that this row resolves; unique, so a hold is resolved at most once, whoever races. */
  @Column({ ...idColumn, nullable: true }) resolves!: string | null;

  @Column(instantColumn) atMs!: number;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'wallet', foreignKeyConstraintName: 'fk_ledger_transfer_wallet' })
  walletAccount?: LedgerAccountEntity;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'debit_account', foreignKeyConstraintName: 'fk_ledger_transfer_debit_account' })
  debited?: LedgerAccountEntity;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'credit_account', foreignKeyConstraintName: 'fk_ledger_transfer_credit_account' })
  credited?: LedgerAccountEntity;
}
