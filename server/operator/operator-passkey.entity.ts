import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, hashColumn, idColumn, instantColumn, nameColumn, textColumn } from '../database/columns.js';

/** A passkey of an operator: its public half. In the form of those of customers, in a table of its own: neither opens the other's door. */
@Entity('operator_passkey')
@Index('ux_operator_passkey_credential', ['credentialHash'], { unique: true })
@Index('ix_operator_passkey_operator', ['accountId'])
export class OperatorPasskeyEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  /** Whose it is: an operator's id. */
  @Column({ ...idColumn, name: 'operator_id' })
  accountId!: string;

  @Column(nameColumn)
  name!: string;

  @Column({ ...textColumn, name: 'credential_id' })
  credentialId!: string;

  @Column({ ...hashColumn, name: 'credential_hash' })
  credentialHash!: string;

  @Column({ ...textColumn, name: 'public_key' })
  publicKey!: string;

  @Column(countColumn)
  counter!: number;

  @Column(nameColumn)
  transports!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  @Column({ ...instantColumn, name: 'last_used_at_ms', nullable: true })
  lastUsedAtMs!: number | null;
}
