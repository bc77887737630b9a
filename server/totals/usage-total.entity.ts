import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, instantColumn, millicreditsColumn, nameColumn } from '../database/columns.js';

/** What all accounts used in one hour, without what `usage_late` has of it. Written once. */
@Entity('usage_total')
export class UsageTotalEntity {
  /** The beginning of the hour, in UTC, in which the calls began. */
  @PrimaryColumn(instantColumn) hourMs!: number;

  @PrimaryColumn(nameColumn) model!: string;
  @PrimaryColumn(nameColumn) provider!: string;
  @Column(countColumn) calls!: number;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;
  @Column(millicreditsColumn) absorbedMillicredits!: number;
}
