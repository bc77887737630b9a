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

/** Why the last automatic top-up brought nothing, or what was taken from the account by others than its calls, so that none is made any more. */
export type TopUpFailure = AttemptFailure | TakenBack | PayerGone;

export type AttemptFailure =
  | 'card_declined'
  | 'canceled'
  | 'authentication_required'
  | 'no_card'
  | 'no_answer'
  | 'monthly_cap';

/** A purchase was refunded, or is disputed by its bank. */
export type MoneyBack = 'refunded' | 'disputed';

/** … or the operator took credits back. It is only ever ended by its owner's new consent. */
export type TakenBack = MoneyBack | 'taken_back';

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
  @PrimaryColumn(idColumn) accountId!: string;
  @Column(booleanColumn) isOn!: boolean;
  @Column(millicreditsColumn) thresholdMillicredits!: number;
  @Column(integerColumn) amountCents!: number;

  /** The most that is bought in this way in one calendar month of UTC. */
  @Column(integerColumn) monthlyCapCents!: number;

  /** When its owner agreed, and to which wording. */
  @Column({ ...instantColumn, nullable: true }) consentAtMs!: number | null;

  @Column({ ...wordColumn, nullable: true }) consentVersion!: string | null;

  /** The payment gateway that keeps the card. */
  @Column({ ...wordColumn, nullable: true }) gateway!: string | null;

  /** The gateway's name for the card; its number never comes near us. */
  @Column({ ...nameColumn, nullable: true }) cardId!: string | null;

  @Column({ ...wordColumn, nullable: true }) cardBrand!: string | null;
  @Column({ ...wordColumn, nullable: true }) cardLast4!: string | null;
  @Column({ ...integerColumn, nullable: true }) cardExpiryMonth!: number | null;
  @Column({ ...integerColumn, nullable: true }) cardExpiryYear!: number | null;

  /** When the card was given, so that old news cannot put an old card back. */
  @Column({ ...instantColumn, nullable: true }) cardSavedAtMs!: number | null;

  /** The person who saved the card, by the account that they signed up with; null: nobody knows. */
  @Column({ ...idColumn, nullable: true }) payerId!: string | null;

  /** Which card that person saved: the release before writes `cardId` alone. */
  @Column({ ...nameColumn, nullable: true }) payerCardId!: string | null;

  /** When that person agreed last. It counts while it is `consentAtMs`, too: the release before lets anybody agree. */
  @Column({ ...instantColumn, nullable: true }) payerConsentAtMs!: number | null;

  @Column({ ...wordColumn, nullable: true }) failure!: TopUpFailure | null;
  @Column(integerColumn) failuresInARow!: number;
  @Column({ ...instantColumn, nullable: true }) pausedUntilMs!: number | null;

  /** Raised by whoever wants to begin a top-up: it locks the row, so that two cannot pass the cap together. */
  @Column(countColumn) revision!: number;

  // Named by its table, since purchases know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_auto_top_up_account_id' })
  account?: object;
}
