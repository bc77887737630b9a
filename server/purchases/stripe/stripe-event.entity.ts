import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';

/**
 * `ignored`: about nothing that we sold. `quarantined`: about a purchase of ours, and it does not fit; somebody has to look. `unclaimed`: old
 * when it was first seen, of a purchase that is unknown here, and naming nothing of ours; the comparison asks about it no more.
 */
export type StripeEventState = 'processed' | 'ignored' | 'quarantined' | 'unclaimed';

/** A notice of Stripe's that was dealt with. Its content stays at Stripe, which shows it by its id. */
@Entity('stripe_event')
@Index('ix_stripe_event_state', ['state', 'receivedAtMs'])
export class StripeEventEntity {
  @PrimaryColumn(nameColumn) id!: string;
  @Column(nameColumn) type!: string;
  @Column(wordColumn) state!: StripeEventState;

  /** Why, unless it was processed. */
  @Column({ ...nameColumn, nullable: true }) reason!: string | null;

  @Column({ ...idColumn, nullable: true }) purchaseId!: string | null;
  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) receivedAtMs!: number;
}
