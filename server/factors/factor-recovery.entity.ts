import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../database/columns.js';

/** The way back of an account whose owner has lost its factors: asked for, then proved by mail, then waiting. */
@Entity('factor_recovery')
@Index('ux_factor_recovery_link', ['linkId'], { unique: true })
@Index('ux_factor_recovery_token', ['tokenHash'], { unique: true })
export class FactorRecoveryEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** Of the mail that was asked for last. */
  @Column({ ...idColumn, name: 'link_id' })
  linkId!: string;

  /** Of the token in the link, which is made when the mail is sent; null: not sent yet, or used. */
  @Column({ ...hashColumn, name: 'token_hash', nullable: true })
  tokenHash!: string | null;

  @Column({ ...instantColumn, name: 'link_ends_at_ms', nullable: true })
  linkEndsAtMs!: number | null;

  /** When the factors go; null: the link was not opened yet. */
  @Column({ ...instantColumn, name: 'due_at_ms', nullable: true })
  dueAtMs!: number | null;
}
