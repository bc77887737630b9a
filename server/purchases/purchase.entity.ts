import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  urlColumn,
  wordColumn,
} from '../database/columns.js';

/** Where a purchase stands. It becomes `paid` in the transaction that grants its credits. */
export type PurchaseStatus = 'pending' | 'paid' | 'expired';

/** One attempt to buy. What is charged and what is granted stand here, and nowhere else, from the first moment. */
@Entity('purchase')
@Check('ck_purchase_amounts', 'amount_cents > 0 AND credits_millicredits > 0')
@Index('ux_purchase_gateway_session', ['gateway', 'gatewaySessionId'], { unique: true })
@Index('ix_purchase_account', ['accountId', 'id'])
@Index('ix_purchase_session', ['gatewaySessionId'])
export class PurchaseEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;

  /** The payment gateway that was asked, so that no other one can pay for it. */
  @Column(wordColumn) gateway!: string;

  /** The session, or the payment itself where nobody sat at a page. Null until the gateway has answered. */
  @Column({ ...nameColumn, nullable: true }) gatewaySessionId!: string | null;

  @Column({ ...urlColumn, nullable: true }) checkoutUrl!: string | null;

  /** The gateway's receipt and its invoice for the payment, once it has made them. */
  @Column({ ...urlColumn, nullable: true }) receiptUrl!: string | null;

  @Column({ ...urlColumn, nullable: true }) invoiceUrl!: string | null;
  @Column(integerColumn) amountCents!: number;

  /** Three lower-case letters, such as `usd`. */
  @Column(wordColumn) currency!: string;

  @Column(millicreditsColumn) creditsMillicredits!: number;
  @Column(wordColumn) status!: PurchaseStatus;
  @Column(instantColumn) createdAtMs!: number;
  @Column({ ...instantColumn, nullable: true }) paidAtMs!: number | null;

  // Named by its table, since purchases know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_purchase_account_id' })
  account?: object;
}
