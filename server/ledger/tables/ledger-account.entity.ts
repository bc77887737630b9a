import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, millicreditsColumn, wordColumn } from '../../database/columns.js';

/** One side of a money move: a wallet with running counters, or a system account, whose balance is the sum of its journal. */
@Entity('ledger_account')
@Check(
  'ck_ledger_account_range',
  'credits_posted >= 0 AND debits_posted >= 0 AND debits_pending >= 0 AND debt >= 0 AND credits_posted <= 9000000000000000 AND debits_posted <= 9000000000000000 AND debits_pending <= 9000000000000000',
)
@Check('ck_ledger_account_overspend', "kind <> 'wallet' OR credits_posted - debits_posted - debits_pending >= -debt")
export class LedgerAccountEntity {
  /** The account's own id for a wallet, `sys:…` for a system account. */
  @PrimaryColumn(idColumn) id!: string;

  @Column(wordColumn) kind!: 'wallet' | 'system';
  @Column(wordColumn) state!: 'open' | 'frozen' | 'closing' | 'closed';

  /** Why it is frozen: words out of `FreezeReason` with commas between them. Null: for nothing that is known. */
  @Column({ ...wordColumn, nullable: true }) frozenFor!: string | null;

  @Column(millicreditsColumn) creditsPosted!: number;
  @Column(millicreditsColumn) debitsPosted!: number;

  /** The sum of the open holds. */
  @Column(millicreditsColumn) debitsPending!: number;

  /** How far below zero a refund or a dispute, never usage, was allowed to take this wallet. */
  @Column(millicreditsColumn) debt!: number;

  /** The number of journal rows of this wallet. */
  @Column(countColumn) seq!: number;
}
