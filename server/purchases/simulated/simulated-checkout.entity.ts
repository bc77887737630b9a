import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  booleanColumn,
  idColumn,
  instantColumn,
  integerColumn,
  nameColumn,
  wordColumn,
} from '../../database/columns.js';
import { PurchaseEntity } from '../purchase.entity.js';

/** A checkout session of the simulated gateway: what a real gateway would keep on its own side. */
@Entity('simulated_checkout')
@Index('ix_simulated_checkout_purchase', ['purchaseId'])
export class SimulatedCheckoutEntity {
  @PrimaryColumn(nameColumn) id!: string;
  @Column(idColumn) purchaseId!: string;
  @Column(integerColumn) amountCents!: number;
  @Column(wordColumn) currency!: string;
  @Column(booleanColumn) isPaid!: boolean;
  @Column(instantColumn) createdAtMs!: number;

  @ManyToOne(() => PurchaseEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'purchase_id', foreignKeyConstraintName: 'fk_simulated_checkout_purchase_id' })
  purchase?: PurchaseEntity;
}
