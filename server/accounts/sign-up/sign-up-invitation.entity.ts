import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn } from '../../database/columns.js';

/** Somebody whom operators have asked to make an account. The row goes with its use. */
@Entity('sign_up_invitation')
@Index('ux_sign_up_invitation_token', ['tokenHash'], { unique: true })
@Index('ix_sign_up_invitation_email', ['emailNormalised'])
export class SignUpInvitationEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  /** The only address that an account can be made with by it. */
  @Column(nameColumn)
  email!: string;

  @Column({ ...nameColumn, name: 'email_normalised' })
  emailNormalised!: string;

  /** Of the token in the link, which is made when the link is; null: its mail has not been sent yet. */
  @Column({ ...hashColumn, name: 'token_hash', nullable: true })
  tokenHash!: string | null;

  /** As the operators' log names them. */
  @Column({ ...nameColumn, name: 'created_by' })
  createdBy!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  @Column({ ...instantColumn, name: 'expires_at_ms' })
  expiresAtMs!: number;
}
