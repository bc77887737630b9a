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
  @PrimaryColumn(idColumn) callId!: string;
  @Column(idColumn) accountId!: string;
  @Column(idColumn) keyId!: string;
  @Column(nameColumn) model!: string;
  @Column(nameColumn) provider!: string;
  @Column(wordColumn) tier!: string;
  @Column(integerColumn) millicreditsPerToken!: number;
  @Column(booleanColumn) isStreamed!: boolean;
  @Column(wordColumn) outcome!: CallOutcome;
  @Column({ ...nameColumn, nullable: true }) errorCode!: string | null;
  @Column({ ...wordColumn, nullable: true }) finishReason!: string | null;
  @Column(wordColumn) usageSource!: UsageSource;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) heldMillicredits!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;

  /** What the operator paid because neither the hold nor the balance covered it. */
  @Column(millicreditsColumn) absorbedMillicredits!: number;

  @Column(instantColumn) startedAtMs!: number;
  @Column({ ...integerColumn, nullable: true }) firstByteMs!: number | null;
  @Column(integerColumn) totalMs!: number;

  /** JSON of `CallAttempt[]`: every provider that was asked, in order. null: nobody knows, or nobody was. */
  @Column({ ...textColumn, nullable: true }) attempts!: string | null;

  /** JSON of `EstimateParts`. null: it is no estimate, or one from before this was written down. */
  @Column({ ...textColumn, nullable: true }) estimateParts!: string | null;

  /** What the caller marked it with; null: nothing, or it is unknown. */
  @Column({ ...nameColumn, nullable: true }) tag!: string | null;

  /** Who of the caller's own users asked; null: not told. */
  @Column({ ...nameColumn, nullable: true }) endUser!: string | null;

  /** Of the prompt, what the provider read from its cache; of the answer, what was reasoned. null: nobody told. Neither moves the bill. */
  @Column({ ...integerColumn, nullable: true }) cachedTokens!: number | null;

  @Column({ ...integerColumn, nullable: true }) reasoningTokens!: number | null;

  /** The lease that it was booked against, or, late, was to be; null: it had a hold of its own. */
  @Column({ ...idColumn, nullable: true }) lease!: string | null;

  /** With a lease: credits in minus credits used once it was booked. Else the journal tells. */
  @Column({ ...millicreditsColumn, nullable: true }) balanceAfter!: number | null;

  /** Per mille of the list price that the account paid; null: 1,000. */
  @Column({ ...integerColumn, nullable: true }) priceMultiplier!: number | null;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_call_record_account_id' })
  walletAccount?: LedgerAccountEntity;
}
