import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn } from '../database/columns.js';

/** An account that is in a price group. One without a row pays the list price. */
@Entity('priced_account')
@Index('ix_priced_account_group', ['groupId', 'accountId'])
export class PricedAccountEntity {
  @PrimaryColumn({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...idColumn, name: 'group_id' })
  groupId!: string;

  @Column({ ...instantColumn, name: 'since_ms' })
  sinceMs!: number;
}
