import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';
import type { OperatorRole } from '../operator-access.js';

/** By what a script of an operator is known. The token itself is not stored, only its hash. Taken back, its row is gone. */
@Entity('operator_token')
@Index('ux_operator_token_hash', ['tokenHash'], { unique: true })
@Index('ix_operator_token_operator', ['operatorId'])
export class OperatorTokenEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) operatorId!: string;
  @Column(nameColumn) name!: string;

  /** The operator's, or one that may do less. */
  @Column(wordColumn) role!: OperatorRole;

  @Column(hashColumn) tokenHash!: string;

  /** Its last four characters, by which people know it again. */
  @Column(wordColumn) ending!: string;

  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) expiresAtMs!: number;

  /** To the minute; null: never. */
  @Column({ ...instantColumn, nullable: true }) lastUsedAtMs!: number | null;
}
