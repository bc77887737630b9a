import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../database/columns.js';
import type { MemberRole } from '../kernel/member-role.js';

/** Somebody who was asked to become a member of an account. The row goes with the answer. */
@Entity('invitation')
@Index('ux_invitation_token', ['tokenHash'], { unique: true })
@Index('ix_invitation_account', ['accountId'])
@Index('ix_invitation_email', ['emailNormalised'])
export class InvitationEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;

  /** Where it was mailed; nobody else may take it. */
  @Column(nameColumn) email!: string;

  @Column(nameColumn) emailNormalised!: string;
  @Column(wordColumn) role!: MemberRole;

  /** The person who invited, by the account that they signed up with. */
  @Column(idColumn) invitedBy!: string;

  /** Of the token in the link, which is made when the mail is sent; null: not sent yet. */
  @Column({ ...hashColumn, nullable: true }) tokenHash!: string | null;

  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) expiresAtMs!: number;
}
