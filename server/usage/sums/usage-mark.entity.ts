import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, wordColumn } from '../../database/columns.js';

/** Up to where hours of use were looked at by whoever sums them later. */
@Entity('usage_mark')
export class UsageMarkEntity {
  /** Always `sets`. */
  @PrimaryColumn(wordColumn) name!: string;

  @Column(instantColumn) untilMs!: number;
}
