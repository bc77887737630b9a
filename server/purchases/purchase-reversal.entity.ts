import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, integerColumn, millicreditsColumn, wordColumn } from '../database/columns.js';
import { PurchaseEntity } from './purchase.entity.js';

/** `closing`: no dispute is open any more, and the account's wallet is about to be opened again. */
export type DisputeState = 'none' | 'open' | 'closing';

/** What of a paid purchase has been undone. It changes in the transaction that moves the credits, and only from `revision` to the next. */
@Entity('purchase_reversal')
@Check(
  'ck_purchase_reversal_amounts',
  'revision >= 0 AND refunded_cents >= 0 AND refunded_millicredits >= 0 AND disputed_cents >= 0 AND disputed_millicredits >= 0',
)
@Index('ix_purchase_reversal_dispute', ['accountId', 'disputeState'])
export class PurchaseReversalEntity {
  @PrimaryColumn(idColumn) purchaseId!: string;
  @Column(idColumn) accountId!: string;

  /** How often it has changed; it stands in the journal's ids, so that no change is booked twice. */
  @Column(countColumn) revision!: number;

  @Column(integerColumn) refundedCents!: number;
  @Column(millicreditsColumn) refundedMillicredits!: number;

  /** Withdrawn for disputes and not reinstated. */
  @Column(integerColumn) disputedCents!: number;

  @Column(millicreditsColumn) disputedMillicredits!: number;
  @Column(wordColumn) disputeState!: DisputeState;

  @ManyToOne(() => PurchaseEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'purchase_id', foreignKeyConstraintName: 'fk_purchase_reversal_purchase_id' })
  purchase?: PurchaseEntity;
}
