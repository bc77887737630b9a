import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../../database/columns.js';

/** One sign-in of an operator. The token itself is not stored, only its hash. */
@Entity('operator_session')
@Index('ux_operator_session_token', ['tokenHash'], { unique: true })
@Index('ix_operator_session_operator', ['operatorId'])
export class OperatorSessionEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) operatorId!: string;
  @Column(hashColumn) tokenHash!: string;
  @Column(instantColumn) createdAtMs!: number;

  /** To the minute. */
  @Column(instantColumn) lastUsedAtMs!: number;

  /** When a code was last entered. */
  @Column(instantColumn) provedAtMs!: number;
}
