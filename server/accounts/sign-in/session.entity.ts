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
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(hashColumn) tokenHash!: string;
  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) lastUsedAtMs!: number;

  /** The end of the session however busy it is. */
  @Column(instantColumn) expiresAtMs!: number;

  /** The program that signed in, as it calls itself; its owner tells sessions apart by it. */
  @Column({ ...nameColumn, nullable: true }) userAgent!: string | null;

  /** The account that it acts for, of which its owner is a member; null: the owner's own. */
  @Column({ ...idColumn, nullable: true }) actingAccountId!: string | null;

  /** When its owner last proved to be the owner; null: when it began. */
  @Column({ ...instantColumn, nullable: true }) provedAtMs!: number | null;

  /** By what; null: the password. */
  @Column({ ...wordColumn, nullable: true }) provedBy!: ProofMeans | null;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_session_account_id' })
  account?: AccountEntity;
}
