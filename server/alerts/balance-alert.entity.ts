import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, millicreditsColumn, nameColumn, urlColumn } from '../database/columns.js';

/** Below which balance an account wants to be told, and how. */
@Entity('balance_alert')
export class BalanceAlertEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** Null: never. */
  @Column({ ...millicreditsColumn, nullable: true }) thresholdMillicredits!: number | null;

  @Column(booleanColumn) isByEmail!: boolean;
  @Column({ ...urlColumn, nullable: true }) webhookUrl!: string | null;

  /** What our deliveries are signed with; its owner may read it. */
  @Column({ ...nameColumn, nullable: true }) webhookSecret!: string | null;

  /** Whether budgets and spikes are told by the same ways; null, as from releases that knew none: no. */
  @Column({ ...booleanColumn, nullable: true }) isUseTold!: boolean | null;

  /** Whether the next fall below the threshold is told; false from then until the balance has risen again. */
  @Column(booleanColumn) isArmed!: boolean;

  /** The threshold that was told last, while the balance has not risen to it again; null: none. */
  @Column({ ...millicreditsColumn, nullable: true }) toldThresholdMillicredits!: number | null;

  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_balance_alert_account_id' })
  account?: object;
}
