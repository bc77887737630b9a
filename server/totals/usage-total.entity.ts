import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, instantColumn, millicreditsColumn, nameColumn } from '../database/columns.js';

/** What all accounts used in one hour, without what `usage_late` has of it. Written once. */
@Entity('usage_total')
export class UsageTotalEntity {
  /** The beginning of the hour, in UTC, in which the calls began. */
  @PrimaryColumn({ ...instantColumn, name: 'hour_ms' })
  hourMs!: number;

  @PrimaryColumn(nameColumn)
  model!: string;

  @PrimaryColumn(nameColumn)
  provider!: string;

  @Column(countColumn)
  calls!: number;

  @Column({ ...countColumn, name: 'prompt_tokens' })
  promptTokens!: number;

  @Column({ ...countColumn, name: 'completion_tokens' })
  completionTokens!: number;

  @Column({ ...millicreditsColumn, name: 'charged_millicredits' })
  chargedMillicredits!: number;

  @Column({ ...millicreditsColumn, name: 'absorbed_millicredits' })
  absorbedMillicredits!: number;
}
