import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, nameColumn } from '../../database/columns.js';

/** By which customer Stripe knows an account. Its test mode and its live mode know nothing of each other. */
@Entity('stripe_customer')
@Index('ux_stripe_customer', ['customerId'], { unique: true })
export class StripeCustomerEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(booleanColumn) isLive!: boolean;
  @Column(nameColumn) customerId!: string;

  // Named by its table, since purchases know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_stripe_customer_account_id' })
  account?: object;
}
