import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, integerColumn, nameColumn } from '../database/columns.js';

/** The same month of an account by what its cost depends on. */
@Entity('account_part')
export class AccountPartEntity {
  @PrimaryColumn(instantColumn) monthMs!: number;
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(nameColumn) model!: string;
  @PrimaryColumn(nameColumn) provider!: string;

  /** Of the prices that were in force when the hour began; 0: the settings and the file alone. */
  @PrimaryColumn(integerColumn) priceVersion!: number;

  @Column(countColumn) calls!: number;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
}
