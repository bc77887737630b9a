import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, nameColumn } from '../../database/columns.js';

/** For how long receipts are kept, as an operator has chosen: what is in force, and what will be. */
@Entity('receipt_retention')
export class ReceiptRetentionEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** null: for ever. */
  @Column({ ...integerColumn, nullable: true }) days!: number | null;

  @Column(instantColumn) inForceAtMs!: number;
  @Column(nameColumn) reason!: string;

  /** As the operators' log names them. */
  @Column(nameColumn) createdBy!: string;

  @Column(instantColumn) createdAtMs!: number;
}
