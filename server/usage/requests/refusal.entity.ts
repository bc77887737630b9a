import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, nameColumn, wordColumn } from '../../database/columns.js';

/** A request that was refused before it became a call: it cost nothing and has no receipt. Nothing of its body is kept. */
@Entity('refusal')
@Index('ix_refusal_account', ['accountId', 'id'])
export class RefusalEntity {
  /** The id that the first of them was answered with, `call_…`. */
  @PrimaryColumn(idColumn) id!: string;

  @Column(idColumn) accountId!: string;
  @Column(idColumn) keyId!: string;
  @Column(integerColumn) status!: number;
  @Column(nameColumn) errorCode!: string;

  /** The model that was asked for; null: the request was not read that far. */
  @Column({ ...nameColumn, nullable: true }) model!: string | null;

  /** Which field of the request was at fault; null: none alone. */
  @Column({ ...nameColumn, nullable: true }) param!: string | null;

  /** `chat`, `responses` …: what was asked for in which words. */
  @Column(wordColumn) wire!: string;

  /** How many alike came within seconds. */
  @Column(integerColumn) times!: number;

  @Column(instantColumn) lastAtMs!: number;
}
