import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../database/columns.js';

/** A secret that callers send to the proxy; the secret itself is not stored, only its hash. */
@Entity('api_key')
@Index('ux_api_key_secret', ['secretHash'], { unique: true })
@Index('ix_api_key_account', ['accountId'])
export class ApiKeyEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column(nameColumn)
  name!: string;

  @Column({ ...hashColumn, name: 'secret_hash' })
  secretHash!: string;

  /** Enough of the secret for its owner to tell it from others, and too little to use it. */
  @Column({ ...wordColumn, name: 'masked_secret' })
  maskedSecret!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  /** To the minute. */
  @Column({ ...instantColumn, name: 'last_used_at_ms', nullable: true })
  lastUsedAtMs!: number | null;

  @Column({ ...instantColumn, name: 'revoked_at_ms', nullable: true })
  revokedAtMs!: number | null;

  // Named by its table, since keys know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_api_key_account_id' })
  account?: object;
}
