import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, nameColumn, textColumn, wordColumn } from '../../database/columns.js';
import type { OperatorRole } from '../operator-access.js';

/** A person who works here. Has nothing to do with an account of the same address. */
@Entity('operator')
@Index('ux_operator_email', ['emailNormalised'], { unique: true })
export class OperatorEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(nameColumn) email!: string;

  /** What is compared. */
  @Column(nameColumn) emailNormalised!: string;

  @Column(nameColumn) name!: string;
  @Column(wordColumn) role!: OperatorRole;

  /** An argon2id hash with its parameters and salt. */
  @Column(nameColumn) passwordHash!: string;

  /** Of the authenticator app, without which no operator is made; `secret-box.ts` opens it. */
  @Column(textColumn) sealedSecret!: string;

  /** The latest period of 30 seconds whose code was taken: neither it nor an earlier one is taken again. */
  @Column(countColumn) lastStep!: number;

  @Column(instantColumn) createdAtMs!: number;

  /** From when this person may do nothing any more; null: may. */
  @Column({ ...instantColumn, nullable: true }) disabledAtMs!: number | null;
}
