import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, textColumn } from '../database/columns.js';

/** A proof that was begun and waits for its second half: for minutes, by one browser or session, once. */
@Entity('pending_proof')
@Index('ix_pending_proof_expires', ['expiresAtMs'])
export class PendingProofEntity {
  /** Of what kind it is and of the token or session that may finish it. */
  @PrimaryColumn(hashColumn) holderHash!: string;

  /** Whose it is; null: that comes out at its end. */
  @Column({ ...idColumn, nullable: true }) accountId!: string | null;

  /** What the second half is compared with. Never a secret. */
  @Column(textColumn) payload!: string;

  @Column(instantColumn) expiresAtMs!: number;
}
