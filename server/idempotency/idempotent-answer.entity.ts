import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { booleanColumn, hashColumn, idColumn, instantColumn, textColumn } from '../database/columns.js';

/** A call or a change that came with an `Idempotency-Key`, and its answer once there is one. */
@Entity('idempotent_answer')
@Index('ix_idempotent_answer_created', ['createdAtMs'])
export class IdempotentAnswerEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(hashColumn) keyHash!: string;

  /** Of a plain call without a key, whose body is a part of `keyHash`: who asked for it last (`last-asker.ts`). */
  @Column(hashColumn) bodyHash!: string;

  /** Of a change: the id of what it has made. */
  @Column(idColumn) callId!: string;

  @Column(booleanColumn) isFinished!: boolean;

  /** Compressed, in base 64; null while the call runs, and for an answer that is too large to keep or broke off. Of a change: its note. */
  @Column({ ...textColumn, nullable: true }) answer!: string | null;

  /** Until when its process has said that it runs; null: it was claimed by a version that said nothing. */
  @Column({ ...instantColumn, nullable: true }) leaseUntilMs!: number | null;

  @Column(instantColumn) createdAtMs!: number;
}
