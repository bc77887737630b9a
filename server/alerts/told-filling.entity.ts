import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, integerColumn } from '../database/columns.js';

/** How much of its last credits an account was told to have used. It stays when the notices of it are removed. */
@Entity('told_filling')
export class ToldFillingEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** The number of these credits in the journal of the account. */
  @Column(countColumn) walletSeq!: number;

  /** 50, 80 or 100 per cent. */
  @Column(integerColumn) share!: number;

  // Named by its table, since alerts know accounts by their id only.
  @ManyToOne('account', { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_told_filling_account_id' })
  account?: object;
}
