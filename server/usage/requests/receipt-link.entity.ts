import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../../database/columns.js';

/** A link by which an account shows the receipt of one call to whoever has it. Its token is not stored, only the hash of it. */
@Entity('receipt_link')
@Index('ix_receipt_link_account', ['accountId', 'expiresAtMs'])
export class ReceiptLinkEntity {
  @PrimaryColumn(hashColumn) tokenHash!: string;
  @Column(idColumn) accountId!: string;
  @Column(idColumn) callId!: string;
  @Column(instantColumn) expiresAtMs!: number;
}
