import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn } from '../../database/columns.js';

/** Somebody whom operators have asked to make an account. The row goes with its use. */
@Entity('sign_up_invitation')
@Index('ux_sign_up_invitation_token', ['tokenHash'], { unique: true })
@Index('ix_sign_up_invitation_email', ['emailNormalised'])
export class SignUpInvitationEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** The only address that an account can be made with by it. */
  @Column(nameColumn) email!: string;

  @Column(nameColumn) emailNormalised!: string;

  /** Of the token in the link, which is made when the link is; null: its mail has not been sent yet. */
  @Column({ ...hashColumn, nullable: true }) tokenHash!: string | null;

  /** As the operators' log names them. */
  @Column(nameColumn) createdBy!: string;

  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) expiresAtMs!: number;
}
