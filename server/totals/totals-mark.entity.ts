import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, wordColumn } from '../database/columns.js';

/** Up to where the use of all accounts is summed. */
@Entity('totals_mark')
export class TotalsMarkEntity {
  /** Always `usage`. */
  @PrimaryColumn(wordColumn) name!: string;

  /** The hour that is next; all before it are summed. */
  @Column(instantColumn) hourMs!: number;

  /** Of that hour, the last account that is summed already; empty: none. */
  @Column(idColumn) accountId!: string;
}
