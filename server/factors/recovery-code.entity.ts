import { Column, Entity, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../database/columns.js';

/** A recovery code of an account; of the code itself there is only this hash. */
@Entity('recovery_code')
export class RecoveryCodeEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @PrimaryColumn({ ...hashColumn, name: 'code_hash' })
  codeHash!: string;

  /** null: not yet. */
  @Column({ ...instantColumn, name: 'used_at_ms', nullable: true })
  usedAtMs!: number | null;
}
