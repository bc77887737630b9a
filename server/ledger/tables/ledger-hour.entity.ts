import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, millicreditsColumn } from '../../database/columns.js';

/** The journal of one hour that is over, summed by what it says happened. Hours without a row had nothing. Written once. */
@Entity('ledger_hour')
export class LedgerHourEntity {
  /** When it begins, in UTC. */
  @PrimaryColumn({ ...instantColumn, name: 'hour_ms' })
  hourMs!: number;

  @Column(millicreditsColumn)
  sales!: number;

  @Column(millicreditsColumn)
  gifts!: number;

  @Column(millicreditsColumn)
  grants!: number;

  @Column(millicreditsColumn)
  refunds!: number;

  @Column({ ...millicreditsColumn, name: 'refunds_returned' })
  refundsReturned!: number;

  @Column(millicreditsColumn)
  disputes!: number;

  @Column({ ...millicreditsColumn, name: 'disputes_returned' })
  disputesReturned!: number;

  @Column(millicreditsColumn)
  added!: number;

  @Column({ ...millicreditsColumn, name: 'taken_back' })
  takenBack!: number;

  @Column(millicreditsColumn)
  charged!: number;

  @Column(millicreditsColumn)
  absorbed!: number;

  /** What all wallets together had when it ended. */
  @Column({ ...millicreditsColumn, name: 'liability_after' })
  liabilityAfter!: number;
}
