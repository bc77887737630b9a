import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, hashColumn, idColumn, instantColumn, nameColumn, textColumn } from '../database/columns.js';

/** A passkey of an account: its public half. */
@Entity('passkey')
@Index('ux_passkey_credential', ['credentialHash'], { unique: true })
@Index('ix_passkey_account', ['accountId'])
export class PasskeyEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** What its owner calls it. */
  @Column(nameColumn)
  name!: string;

  /** As the authenticator names it, in base64url; up to 1,364 characters. */
  @Column({ ...textColumn, name: 'credential_id' })
  credentialId!: string;

  @Column({ ...hashColumn, name: 'credential_hash' })
  credentialHash!: string;

  /** In COSE form, base64url. */
  @Column({ ...textColumn, name: 'public_key' })
  publicKey!: string;

  /** How often it signed, as its authenticator counts; 0: it does not count. */
  @Column(countColumn)
  counter!: number;

  /** How browsers reach it, separated by commas. */
  @Column(nameColumn)
  transports!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  @Column({ ...instantColumn, name: 'last_used_at_ms', nullable: true })
  lastUsedAtMs!: number | null;
}
