import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, millicreditsColumn } from '../database/columns.js';

/** What an account used in a month, of the hours that are summed, without what `usage_late` has of them. */
@Entity('account_month')
@Index('ix_account_month_charged', ['monthMs', 'chargedMillicredits', 'accountId'])
export class AccountMonthEntity {
  /** The beginning of the month in UTC. */
  @PrimaryColumn({ ...instantColumn, name: 'month_ms' })
  monthMs!: number;

  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column(countColumn)
  calls!: number;

  @Column({ ...countColumn, name: 'prompt_tokens' })
  promptTokens!: number;

  @Column({ ...countColumn, name: 'completion_tokens' })
  completionTokens!: number;

  @Column({ ...millicreditsColumn, name: 'charged_millicredits' })
  chargedMillicredits!: number;

  @Column({ ...millicreditsColumn, name: 'absorbed_millicredits' })
  absorbedMillicredits!: number;
}
