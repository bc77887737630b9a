import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, nameColumn } from '../database/columns.js';

/** Accounts that pay a part, or a multiple, of the list price. */
@Entity('price_group')
@Check('ck_price_group_multiplier', 'multiplier >= 1 AND multiplier <= 100000')
@Index('ux_price_group_name', ['name'], { unique: true })
export class PriceGroupEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(nameColumn) name!: string;

  /** Per mille of the list price: 800 is a fifth less. */
  @Column(integerColumn) multiplier!: number;

  @Column(instantColumn) createdAtMs!: number;
}
