import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, nameColumn } from '../../database/columns.js';

/** For how long receipts are kept, as an operator has chosen: what is in force, and what will be. */
@Entity('receipt_retention')
export class ReceiptRetentionEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  /** null: for ever. */
  @Column({ ...integerColumn, name: 'days', nullable: true })
  days!: number | null;

  @Column({ ...instantColumn, name: 'in_force_at_ms' })
  inForceAtMs!: number;

  @Column(nameColumn)
  reason!: string;

  /** As the operators' log names them. */
  @Column({ ...nameColumn, name: 'created_by' })
  createdBy!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;
}
