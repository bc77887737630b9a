import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, integerColumn } from '../database/columns.js';

/** The one row that counts changes of providers, models and prices, so that every instance sees that there is one. */
@Entity('catalogue_revision')
export class CatalogueRevisionEntity {
  /** Always 1. */
  @PrimaryColumn(integerColumn) id!: number;

  @Column(countColumn) number!: number;
}
