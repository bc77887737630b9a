import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, integerColumn, nameColumn } from '../../database/columns.js';

/** A refund by the simulated gateway: what a real gateway would keep on its own side. */
@Entity('simulated_refund')
@Check('ck_simulated_refund_cents', 'cents > 0')
@Index('ix_simulated_refund_session', ['sessionId'])
export class SimulatedRefundEntity {
  /** The one that the refund was asked for by. */
  @PrimaryColumn(idColumn) id!: string;

  @Column(nameColumn) sessionId!: string;
  @Column(integerColumn) cents!: number;
}
