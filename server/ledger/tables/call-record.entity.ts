import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  booleanColumn,
  countColumn,
  idColumn,
  instantColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  textColumn,
  wordColumn,
} from '../../database/columns.js';
import type { CallOutcome, UsageSource } from '../ledger-types.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** The receipt of one call, written in the transaction that resolves its hold, so that use and money cannot disagree. */
@Entity('call_record')
@Check('ck_call_record_tokens', 'prompt_tokens >= 0 AND completion_tokens >= 0')
@Index('ix_call_record_account', ['accountId', 'callId'])
@Index('ix_call_record_key', ['keyId', 'callId'])
export class CallRecordEntity {
  @PrimaryColumn({ ...idColumn, name: 'call_id' })
  callId!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...idColumn, name: 'key_id' })
  keyId!: string;

  @Column(nameColumn)
  model!: string;

  @Column(nameColumn)
  provider!: string;

  @Column(wordColumn)
  tier!: string;

  @Column({ ...integerColumn, name: 'millicredits_per_token' })
  millicreditsPerToken!: number;

  @Column({ ...booleanColumn, name: 'is_streamed' })
  isStreamed!: boolean;

  @Column(wordColumn)
  outcome!: CallOutcome;

  @Column({ ...nameColumn, name: 'error_code', nullable: true })
  errorCode!: string | null;

  @Column({ ...wordColumn, name: 'finish_reason', nullable: true })
  finishReason!: string | null;

  @Column({ ...wordColumn, name: 'usage_source' })
  usageSource!: UsageSource;

  @Column({ ...countColumn, name: 'prompt_tokens' })
  promptTokens!: number;

  @Column({ ...countColumn, name: 'completion_tokens' })
  completionTokens!: number;

  @Column({ ...millicreditsColumn, name: 'held_millicredits' })
  heldMillicredits!: number;

  @Column({ ...millicreditsColumn, name: 'charged_millicredits' })
  chargedMillicredits!: number;

  /** What the operator paid because neither the hold nor the balance covered it. */
  @Column({ ...millicreditsColumn, name: 'absorbed_millicredits' })
  absorbedMillicredits!: number;

  @Column({ ...instantColumn, name: 'started_at_ms' })
  startedAtMs!: number;

  @Column({ ...integerColumn, name: 'first_byte_ms', nullable: true })
  firstByteMs!: number | null;

  @Column({ ...integerColumn, name: 'total_ms' })
  totalMs!: number;

  /** JSON of `CallAttempt[]`: every provider that was asked, in order. null: nobody knows, or nobody was. */
  @Column({ ...textColumn, nullable: true })
  attempts!: string | null;

  /** JSON of `EstimateParts`. null: it is no estimate, or one from before this was written down. */
  @Column({ ...textColumn, name: 'estimate_parts', nullable: true })
  estimateParts!: string | null;

  /** What the caller marked it with; null: nothing, or it is unknown. */
  @Column({ ...nameColumn, nullable: true })
  tag!: string | null;

  /** Who of the caller's own users asked; null: not told. */
  @Column({ ...nameColumn, name: 'end_user', nullable: true })
  endUser!: string | null;

  /** Of the prompt, what the provider read from its cache; of the answer, what was reasoned. null: nobody told. Neither moves the bill. */
  @Column({ ...integerColumn, name: 'cached_tokens', nullable: true })
  cachedTokens!: number | null;

  @Column({ ...integerColumn, name: 'reasoning_tokens', nullable: true })
  reasoningTokens!: number | null;

  /** The lease that it was booked against, or, late, was to be; null: it had a hold of its own. */
  @Column({ ...idColumn, nullable: true })
  lease!: string | null;

  /** With a lease: credits in minus credits used once it was booked. Else the journal tells. */
  @Column({ ...millicreditsColumn, name: 'balance_after', nullable: true })
  balanceAfter!: number | null;

  /** Per mille of the list price that the account paid; null: 1,000. */
  @Column({ ...integerColumn, name: 'price_multiplier', nullable: true })
  priceMultiplier!: number | null;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_call_record_account_id' })
  walletAccount?: LedgerAccountEntity;
}
