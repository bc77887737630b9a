import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { idColumn, integerColumn, nameColumn, wordColumn } from '../database/columns.js';

/** A purchase that nobody sat in front of: begun by the balance, paid by the saved card. */
@Entity('auto_top_up_charge')
@Check('ck_auto_top_up_charge_amount', 'amount_cents > 0')
@Index('ux_auto_top_up_charge_open', ['openFor'], { unique: true })
@Index('ix_auto_top_up_charge_month', ['accountId', 'monthUtc'])
export class AutoTopUpChargeEntity {
  @PrimaryColumn(idColumn) purchaseId!: string;
  @Column(idColumn) accountId!: string;

  /** The account while it is under way, then null. Unique: an account has one at a time. */
  @Column({ ...idColumn, nullable: true }) openFor!: string | null;

  /** Such as `2026-01`. */
  @Column(wordColumn) monthUtc!: string;

  @Column(integerColumn) amountCents!: number;
  @Column(nameColumn) cardId!: string;
  @Column(wordColumn) state!: 'open' | 'paid' | 'failed';

  // Named by its table, which is the purchases' own.
  @ManyToOne('purchase', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'purchase_id', foreignKeyConstraintName: 'fk_auto_top_up_charge_purchase_id' })
  purchase?: object;
}
