import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, wordColumn } from '../../database/columns.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/**
 * What a key with a spend limit has spent and reserved in one period. There is a row only once such a key has made a call in
 * the period; it is changed under the lock of the wallet alone.
 */
@Entity('key_spend')
@Check(
  'ck_key_spend_range',
  'limit_millicredits >= 0 AND spent_millicredits >= 0 AND pending_millicredits >= 0 AND excess_millicredits >= 0',
)
@Check('ck_key_spend_limit', 'spent_millicredits + pending_millicredits <= limit_millicredits + excess_millicredits')
@Index('ix_key_spend_wallet', ['wallet'])
export class KeySpendEntity {
  @PrimaryColumn(idColumn) keyId!: string;

  /** Such as `day 2026-01-31`. */
  @PrimaryColumn(wordColumn) period!: string;

  @Column(idColumn) wallet!: string;
  @Column(instantColumn) startsAtMs!: number;
  @Column(instantColumn) endsAtMs!: number;

  /** The limit by which the latest hold was judged. */
  @Column(millicreditsColumn) limitMillicredits!: number;

  /** What the calls that began in the period were charged. */
  @Column(millicreditsColumn) spentMillicredits!: number;

  /** What those of them that still run have reserved. */
  @Column(millicreditsColumn) pendingMillicredits!: number;

  /** How far a lowered limit, or use beyond what was reserved, but never a hold, has left it above the limit. */
  @Column(millicreditsColumn) excessMillicredits!: number;

  @ManyToOne(() => LedgerAccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'wallet', foreignKeyConstraintName: 'fk_key_spend_wallet' })
  walletAccount?: LedgerAccountEntity;
}
