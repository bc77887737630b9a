import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** What proves who somebody is: the password alone, something that its owner has, or the word of another provider. */
export type ProofMeans = 'password' | 'factor' | 'provider';

/** One sign-in. The session token itself is not stored, only its hash. */
@Entity('session')
@Index('ux_session_token', ['tokenHash'], { unique: true })
@Index('ix_session_account', ['accountId'])
export class SessionEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...hashColumn, name: 'token_hash' })
  tokenHash!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  @Column({ ...instantColumn, name: 'last_used_at_ms' })
  lastUsedAtMs!: number;

  /** The end of the session however busy it is. */
  @Column({ ...instantColumn, name: 'expires_at_ms' })
  expiresAtMs!: number;

  /** The program that signed in, as it calls itself; its owner tells sessions apart by it. */
  @Column({ ...nameColumn, name: 'user_agent', nullable: true })
  userAgent!: string | null;

  /** The account that it acts for, of which its owner is a member; null: the owner's own. */
  @Column({ ...idColumn, name: 'acting_account_id', nullable: true })
  actingAccountId!: string | null;

  /** When its owner last proved to be the owner; null: when it began. */
  @Column({ ...instantColumn, name: 'proved_at_ms', nullable: true })
  provedAtMs!: number | null;

  /** By what; null: the password. */
  @Column({ ...wordColumn, name: 'proved_by', nullable: true })
  provedBy!: ProofMeans | null;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_session_account_id' })
  account?: AccountEntity;
}
