import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';
import type { OperatorRole } from '../operator-access.js';

/** By what a script of an operator is known. The token itself is not stored, only its hash. Taken back, its row is gone. */
@Entity('operator_token')
@Index('ux_operator_token_hash', ['tokenHash'], { unique: true })
@Index('ix_operator_token_operator', ['operatorId'])
export class OperatorTokenEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'operator_id' })
  operatorId!: string;

  @Column(nameColumn)
  name!: string;

  /** The operator's, or one that may do less. */
  @Column(wordColumn)
  role!: OperatorRole;

  @Column({ ...hashColumn, name: 'token_hash' })
  tokenHash!: string;

  /** Its last four characters, by which people know it again. */
  @Column(wordColumn)
  ending!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  @Column({ ...instantColumn, name: 'expires_at_ms' })
  expiresAtMs!: number;

  /** To the minute; null: never. */
  @Column({ ...instantColumn, name: 'last_used_at_ms', nullable: true })
  lastUsedAtMs!: number | null;
}
