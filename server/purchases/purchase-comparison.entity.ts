import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, wordColumn } from '../database/columns.js';

/** Up to where our purchases were compared with what a payment gateway has. */
@Entity('purchase_comparison')
export class PurchaseComparisonEntity {
  /** Its `noticeSource`; the bare name of the gateway is of an earlier release. */
  @PrimaryColumn(wordColumn) gateway!: string;

  /** When the newest notice was made, by the gateway's clock, that a comparison has dealt with together with every earlier one. */
  @Column(instantColumn) comparedToMs!: number;
}
