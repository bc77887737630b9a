import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, integerColumn, nameColumn } from '../database/columns.js';

/** The same month of an account by what its cost depends on. */
@Entity('account_part')
export class AccountPartEntity {
  @PrimaryColumn({ ...instantColumn, name: 'month_ms' })
  monthMs!: number;

  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @PrimaryColumn(nameColumn)
  model!: string;

  @PrimaryColumn(nameColumn)
  provider!: string;

  /** Of the prices that were in force when the hour began; 0: the settings and the file alone. */
  @PrimaryColumn({ ...integerColumn, name: 'price_version' })
  priceVersion!: number;

  @Column(countColumn)
  calls!: number;

  @Column({ ...countColumn, name: 'prompt_tokens' })
  promptTokens!: number;

  @Column({ ...countColumn, name: 'completion_tokens' })
  completionTokens!: number;
}
