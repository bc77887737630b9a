import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  wordColumn,
} from '../database/columns.js';
import { PurchaseEntity } from './purchase.entity.js';

/**
 * `sending`: decided, and it is not known yet whether the gateway has made it. `pending`: the gateway has made it, and the money is on its
 * way. `failed`: the gateway has refused it for good, or the buyer's bank later, also of one that was `done`.
 */
export type RefundState = 'waiting' | 'refused' | 'sending' | 'pending' | 'done' | 'failed';

/** A refund that an operator has begun. Its id is what the gateway knows it by, so that it is made once. */
@Entity('refund_order')
@Check('ck_refund_order_amounts', 'cents > 0 AND amount_millicredits >= 0')
@Index('ix_refund_order_state', ['state', 'id'])
@Index('ix_refund_order_purchase', ['purchaseId', 'state'])
@Index('ix_refund_order_asked', ['askedBy', 'askedAtMs'])
export class RefundOrderEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) purchaseId!: string;
  @Column(idColumn) accountId!: string;
  @Column(integerColumn) cents!: number;

  /** The share of the purchase's credits, rounded down. */
  @Column(millicreditsColumn) amountMillicredits!: number;

  @Column(nameColumn) reason!: string;
  @Column(idColumn) askedBy!: string;
  @Column(instantColumn) askedAtMs!: number;
  @Column(wordColumn) state!: RefundState;

  /** Null: nobody else had to agree, or has decided yet. */
  @Column({ ...idColumn, nullable: true }) decidedBy!: string | null;

  @Column({ ...instantColumn, nullable: true }) decidedAtMs!: number | null;
  @Column({ ...nameColumn, nullable: true }) gatewayRefundId!: string | null;

  /** Why it failed, in the gateway's word. */
  @Column({ ...nameColumn, nullable: true }) fault!: string | null;

  @ManyToOne(() => PurchaseEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'purchase_id', foreignKeyConstraintName: 'fk_refund_order_purchase_id' })
  purchase?: PurchaseEntity;
}
