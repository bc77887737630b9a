import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, millicreditSumColumn } from '../../database/columns.js';

/** The journal of one hour that is over, summed by what it says happened. Hours without a row had nothing. Written once. */
@Entity('ledger_hour')
export class LedgerHourEntity {
  /** When it begins, in UTC. */
  @PrimaryColumn(instantColumn) hourMs!: number;

  @Column(millicreditSumColumn) sales!: bigint;
  @Column(millicreditSumColumn) gifts!: bigint;
  @Column(millicreditSumColumn) grants!: bigint;
  @Column(millicreditSumColumn) refunds!: bigint;
  @Column(millicreditSumColumn) refundsReturned!: bigint;
  @Column(millicreditSumColumn) disputes!: bigint;
  @Column(millicreditSumColumn) disputesReturned!: bigint;
  @Column(millicreditSumColumn) added!: bigint;
  @Column(millicreditSumColumn) takenBack!: bigint;
  @Column(millicreditSumColumn) charged!: bigint;
  @Column(millicreditSumColumn) absorbed!: bigint;

  /** What all wallets together had when it ended. */
  @Column(millicreditSumColumn) liabilityAfter!: bigint;
}
