import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  booleanColumn,
  countColumn,
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  wordColumn,
} from '../database/columns.js';

/** Why the last automatic top-up brought nothing, or money of a purchase went back, so that none is made any more. */
export type TopUpFailure = AttemptFailure | MoneyBack | PayerGone;

export type AttemptFailure = 'card_declined' | 'authentication_required' | 'no_card' | 'no_answer' | 'monthly_cap';

/** A purchase was refunded, or is disputed by its bank. It is only ever ended by its owner's new consent. */
export type MoneyBack = 'refunded' | 'disputed';

/**
 * Whoever saved the card may not pay for the account any more, or nobody knows who it was; or they have not agreed to what was set last.
 */
export type PayerGone = 'payer_left' | 'consent_needed';

/** What an account has agreed to: buy so much by this card whenever the balance falls below the threshold. */
@Entity('auto_top_up')
@Check(
  'ck_auto_top_up_amounts',
  'threshold_millicredits > 0 AND amount_cents > 0 AND monthly_cap_cents >= amount_cents AND failures_in_a_row >= 0',
)
@Index('ix_auto_top_up_on', ['isOn', 'accountId'])
export class AutoTopUpEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...booleanColumn, name: 'is_on' })
  isOn!: boolean;

  @Column({ ...millicreditsColumn, name: 'threshold_millicredits' })
  thresholdMillicredits!: number;

  @Column({ ...integerColumn, name: 'amount_cents' })
  amountCents!: number;

  /** The most that is bought in this way in one calendar month of UTC. */
  @Column({ ...integerColumn, name: 'monthly_cap_cents' })
  monthlyCapCents!: number;

  /** When its owner agreed, and to which wording. */
  @Column({ ...instantColumn, name: 'consent_at_ms', nullable: true })
  consentAtMs!: number | null;

  @Column({ ...wordColumn, name: 'consent_version', nullable: true })
  consentVersion!: string | null;

  /** The payment gateway that keeps the card. */
  @Column({ ...wordColumn, nullable: true })
  gateway!: string | null;

  /** The gateway's name for the card; its number never comes near us. */
  @Column({ ...nameColumn, name: 'card_id', nullable: true })
  cardId!: string | null;

  @Column({ ...wordColumn, name: 'card_brand', nullable: true })
  cardBrand!: string | null;

  @Column({ ...wordColumn, name: 'card_last4', nullable: true })
  cardLast4!: string | null;

  @Column({ ...integerColumn, name: 'card_expiry_month', nullable: true })
  cardExpiryMonth!: number | null;

  @Column({ ...integerColumn, name: 'card_expiry_year', nullable: true })
  cardExpiryYear!: number | null;

  /** When the card was given, so that old news cannot put an old card back. */
  @Column({ ...instantColumn, name: 'card_saved_at_ms', nullable: true })
  cardSavedAtMs!: number | null;

  /** The person who saved the card, by the account that they signed up with; null: nobody knows. */
  @Column({ ...idColumn, name: 'payer_id', nullable: true })
  payerId!: string | null;

  /** Which card that person saved: the release before writes `cardId` alone. */
  @Column({ ...nameColumn, name: 'payer_card_id', nullable: true })
  payerCardId!: string | null;

  /** When that person agreed last. It counts while it is `consentAtMs`, too: the release before lets anybody agree. */
  @Column({ ...instantColumn, name: 'payer_consent_at_ms', nullable: true })
  payerConsentAtMs!: number | null;

  @Column({ ...wordColumn, nullable: true })
  failure!: TopUpFailure | null;

  @Column({ ...integerColumn, name: 'failures_in_a_row' })
  failuresInARow!: number;

  @Column({ ...instantColumn, name: 'paused_until_ms', nullable: true })
  pausedUntilMs!: number | null;

  /** Raised by whoever wants to begin a top-up: it locks the row, so that two cannot pass the cap together. */
  @Column(countColumn)
  revision!: number;

  // Named by its table, since purchases know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_auto_top_up_account_id' })
  account?: object;
}
