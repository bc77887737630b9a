import { Column, Entity, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../database/columns.js';

/** A recovery code of an account; of the code itself there is only this hash. */
@Entity('recovery_code')
export class RecoveryCodeEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(hashColumn) codeHash!: string;

  /** null: not yet. */
  @Column({ ...instantColumn, nullable: true }) usedAtMs!: number | null;
}
