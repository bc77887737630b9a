import { Column, Entity, Index } from 'typeorm';
import { idColumn } from '../../database/columns.js';
import { StoredPasskey } from '../../factors/passkeys/stored-passkey.js';

/** A passkey of an operator, in a table of its own: neither opens the other's door. */
@Entity('operator_passkey')
@Index('ux_operator_passkey_credential', ['credentialHash'], { unique: true })
@Index('ix_operator_passkey_operator', ['accountId'])
export class OperatorPasskeyEntity extends StoredPasskey {
  /** An operator's id. */
  @Column({ ...idColumn, name: 'operator_id' }) accountId!: string;
}
