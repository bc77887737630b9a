import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, millicreditsColumn, nameColumn } from '../../database/columns.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** What one account used in one hour, by key, model and provider. */
export abstract class HourOfUse {
  @PrimaryColumn(idColumn) accountId!: string;

  /** The beginning of the hour, in UTC, in which the calls began. */
  @PrimaryColumn(instantColumn) hourMs!: number;

  @PrimaryColumn(idColumn) keyId!: string;
  @PrimaryColumn(nameColumn) model!: string;
  @PrimaryColumn(nameColumn) provider!: string;
  @Column(countColumn) calls!: number;

  /** Those whose caller did not get a whole answer through no doing of their own. */
  @Column(countColumn) failedCalls!: number;

  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;
  @Column(millicreditsColumn) absorbedMillicredits!: number;

  /** Of how many of the calls the two below are summed; fewer than all: a release that did not sum them wrote the others, and null is 0. */
  @Column({ ...countColumn, nullable: true }) toldCalls!: number | null;

  /** Of the tokens in, those that providers read from their caches. */
  @Column({ ...countColumn, nullable: true }) cachedTokens!: number | null;

  /** Of the tokens out, those that were reasoned. */
  @Column({ ...countColumn, nullable: true }) reasoningTokens!: number | null;
}

/** Written in the transactions that settle the calls of the account. */
@Entity('usage_hour')
@Index('ix_usage_hour_time', ['hourMs'])
@Index('ix_usage_hour_key', ['accountId', 'keyId', 'hourMs'])
export class UsageHourEntity extends HourOfUse {
  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_usage_hour_account_id' })
  walletAccount?: LedgerAccountEntity;
}
