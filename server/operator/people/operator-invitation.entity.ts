import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, textColumn, wordColumn } from '../../database/columns.js';
import type { OperatorRole } from '../operator-access.js';

/** A link by which somebody becomes an operator, or one sets password and app anew. It goes with its use. */
@Entity('operator_invitation')
@Index('ux_operator_invitation_token', ['tokenHash'], { unique: true })
export class OperatorInvitationEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(hashColumn) tokenHash!: string;
  @Column(wordColumn) role!: OperatorRole;

  /** Who sets password and app anew; null: it makes a new operator. */
  @Column({ ...idColumn, nullable: true }) operatorId!: string | null;

  /** What the app was given when the link was last opened; null: not yet. */
  @Column({ ...textColumn, nullable: true }) sealedSecret!: string | null;

  @Column(instantColumn) expiresAtMs!: number;
}
