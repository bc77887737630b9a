import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../database/columns.js';

/** Who has accepted an invitation, as long as its link would have been good: it lets nobody in, and tells them that they have joined. */
@Entity('accepted_invitation')
@Index('ix_accepted_invitation_account', ['accountId'])
@Index('ix_accepted_invitation_person', ['personId'])
export class AcceptedInvitationEntity {
  @PrimaryColumn(hashColumn) tokenHash!: string;
  @Column(idColumn) accountId!: string;
  @Column(idColumn) personId!: string;
  @Column(instantColumn) expiresAtMs!: number;
}
