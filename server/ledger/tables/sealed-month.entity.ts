import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, millicreditsColumn } from '../../database/columns.js';

/** What the receipts of one account and month came to that were removed because of their age; written as they are removed. */
@Entity('sealed_month')
@Check(
  'ck_sealed_month_sums',
  'calls > 0 AND held_calls >= 0 AND held_calls <= calls AND prompt_tokens >= 0 AND completion_tokens >= 0 AND charged_millicredits >= 0 AND absorbed_millicredits >= 0',
)
export class SealedMonthEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** The beginning of the month, in UTC, in which the calls began. */
  @PrimaryColumn(instantColumn) monthMs!: number;

  /** The beginning of the month after. */
  @Column(instantColumn) monthEndMs!: number;

  @Column(countColumn) calls!: number;

  /** Those among them that were charged out of a hold of their own, which has no receipt any more. */
  @Column(countColumn) heldCalls!: number;

  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;
  @Column(millicreditsColumn) absorbedMillicredits!: number;
}
