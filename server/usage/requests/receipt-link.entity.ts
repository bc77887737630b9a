import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../../database/columns.js';

/** A link by which an account shows the receipt of one call to whoever has it. Its token is not stored, only the hash of it. */
@Entity('receipt_link')
@Index('ix_receipt_link_account', ['accountId', 'expiresAtMs'])
export class ReceiptLinkEntity {
  @PrimaryColumn({ ...hashColumn, name: 'token_hash' })
  tokenHash!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...idColumn, name: 'call_id' })
  callId!: string;

  @Column({ ...instantColumn, name: 'expires_at_ms' })
  expiresAtMs!: number;
}
