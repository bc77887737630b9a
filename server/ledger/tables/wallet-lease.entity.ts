import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, millicreditsColumn, wordColumn } from '../../database/columns.js';
import type { LeaseState } from '../leases/lease-types.js';

/** Credits of a wallet that one server process has set aside for its calls. Its id is that of the hold that sets them aside. */
@Entity('wallet_lease')
@Check('ck_wallet_lease_amounts', 'amount > 0 AND spent >= 0 AND spent <= amount AND calls >= 0 AND reserved >= 0')
@Index('ix_wallet_lease_wallet', ['wallet', 'state'])
@Index('ix_wallet_lease_instance', ['instance', 'state'])
export class WalletLeaseEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) wallet!: string;
  @Column(idColumn) instance!: string;

  /** Fixed when it begins. */
  @Column(millicreditsColumn) amount!: number;

  /** What the receipts that are booked against it were charged out of it. */
  @Column(millicreditsColumn) spent!: number;

  /** The number of those receipts. */
  @Column(countColumn) calls!: number;

  /** What running calls had reserved when its process last told; for people to look at. */
  @Column(millicreditsColumn) reserved!: number;

  @Column(wordColumn) state!: LeaseState;

  /** The key with a spend limit whose calls alone it lets in; null: those of all other keys. */
  @Column({ ...idColumn, nullable: true }) keyId!: string | null;

  /** The period of that limit in which it counts, such as `day 2026-01-31`. */
  @Column({ ...wordColumn, nullable: true }) spendPeriod!: string | null;

  /** Of `spent` and `calls`, what is of receipts that were removed because of their age; null: none of it. */
  @Column({ ...millicreditsColumn, nullable: true }) sealedSpent!: number | null;

  @Column({ ...countColumn, nullable: true }) sealedCalls!: number | null;
}
