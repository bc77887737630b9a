import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../database/columns.js';

/** The way back of an account whose owner has lost its factors: asked for, then proved by mail, then waiting. */
@Entity('factor_recovery')
@Index('ux_factor_recovery_link', ['linkId'], { unique: true })
@Index('ux_factor_recovery_token', ['tokenHash'], { unique: true })
export class FactorRecoveryEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** Of the mail that was asked for last. */
  @Column(idColumn) linkId!: string;

  /** Of the token in the link, which is made when the mail is sent; null: not sent yet, or used. */
  @Column({ ...hashColumn, nullable: true }) tokenHash!: string | null;

  @Column({ ...instantColumn, nullable: true }) linkEndsAtMs!: number | null;

  /** When the factors go; null: the link was not opened yet. */
  @Column({ ...instantColumn, nullable: true }) dueAtMs!: number | null;
}
