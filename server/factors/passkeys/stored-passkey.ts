import { Column, PrimaryColumn } from 'typeorm';
import { countColumn, hashColumn, idColumn, instantColumn, nameColumn, textColumn } from '../../database/columns.js';

/** The public half of a passkey, whoever holds it: each kind of holder has a table of its own. */
export abstract class StoredPasskey {
  @PrimaryColumn(idColumn)
  id!: string;

  /** Whose it is. */
  abstract accountId: string;

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
