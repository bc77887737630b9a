import { Column, Entity, Index } from 'typeorm';
import { idColumn } from '../../database/columns.js';
import { StoredPasskey } from './stored-passkey.js';

/** A passkey of an account. */
@Entity('passkey')
@Index('ux_passkey_credential', ['credentialHash'], { unique: true })
@Index('ix_passkey_account', ['accountId'])
export class PasskeyEntity extends StoredPasskey {
  @Column(idColumn) accountId!: string;
}
