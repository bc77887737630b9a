import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn } from '../database/columns.js';

/** An account that is in a price group. One without a row pays the list price. */
@Entity('priced_account')
@Index('ix_priced_account_group', ['groupId', 'accountId'])
export class PricedAccountEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @Column(idColumn) groupId!: string;
  @Column(instantColumn) sinceMs!: number;
}
