import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, millicreditsColumn, wordColumn } from '../database/columns.js';
import type { LeaseState } from './lease-types.js';

/** Credits of a wallet that one server process has set aside for its calls. Its id is that of the hold that sets them aside. */
@Entity('wallet_lease')
@Check('ck_wallet_lease_amounts', 'amount > 0 AND spent >= 0 AND spent <= amount AND calls >= 0 AND reserved >= 0')
@Index('ix_wallet_lease_wallet', ['wallet', 'state'])
@Index('ix_wallet_lease_instance', ['instance', 'state'])
export class WalletLeaseEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column(idColumn)
  wallet!: string;

  @Column(idColumn)
  instance!: string;

  /** Fixed when it begins. */
  @Column(millicreditsColumn)
  amount!: number;

  /** What the receipts that are booked against it were charged out of it. */
  @Column(millicreditsColumn)
  spent!: number;

  /** The number of those receipts. */
  @Column(countColumn)
  calls!: number;

  /** What running calls had reserved when its process last told; for people to look at. */
  @Column(millicreditsColumn)
  reserved!: number;

  @Column(wordColumn)
  state!: LeaseState;
}
