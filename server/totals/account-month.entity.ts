import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, millicreditsColumn } from '../database/columns.js';

/** What an account used in a month, of the hours that are summed, without what `usage_late` has of them. */
@Entity('account_month')
@Index('ix_account_month_charged', ['monthMs', 'chargedMillicredits', 'accountId'])
export class AccountMonthEntity {
  /** The beginning of the month in UTC. */
  @PrimaryColumn(instantColumn) monthMs!: number;

  @PrimaryColumn(idColumn) accountId!: string;
  @Column(countColumn) calls!: number;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;
  @Column(millicreditsColumn) absorbedMillicredits!: number;
}
