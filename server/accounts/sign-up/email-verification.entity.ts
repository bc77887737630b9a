import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** A verification mail that was asked for; kept for three days. */
@Entity('email_verification')
@Index('ux_email_verification_token', ['tokenHash'], { unique: true })
@Index('ix_email_verification_account', ['accountId', 'createdAtMs'])
@Index('ix_email_verification_created', ['createdAtMs'])
export class EmailVerificationEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;

  /** Of the address as it was then; another one is not verified by this link. */
  @Column(hashColumn) addressHash!: string;

  /** Of the token in the link, which is made when the mail is sent; null: not sent yet, or used. */
  @Column({ ...hashColumn, nullable: true }) tokenHash!: string | null;

  @Column(instantColumn) createdAtMs!: number;
  @Column({ ...instantColumn, nullable: true }) expiresAtMs!: number | null;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_email_verification_account_id' })
  account?: AccountEntity;
}
