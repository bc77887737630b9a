import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, textColumn } from '../database/columns.js';

/** The authenticator app of an account, one at most. */
@Entity('authenticator_app')
export class AuthenticatorAppEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** Encrypted; `secret-box.ts` opens it. */
  @Column(textColumn) sealedSecret!: string;

  @Column(instantColumn) createdAtMs!: number;

  /** When its first code was entered; null: not yet, and until then it is asked for nothing. */
  @Column({ ...instantColumn, nullable: true }) confirmedAtMs!: number | null;

  /** The latest period of 30 seconds whose code was taken: neither it nor an earlier one is taken again. */
  @Column(countColumn) lastStep!: number;
}
