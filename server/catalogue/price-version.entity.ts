import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { instantColumn, integerColumn, nameColumn, textColumn } from '../database/columns.js';

/** Models and prices from one time on, as an operator has set them. Its text is never changed; only one that is still to come is withdrawn. */
@Entity('price_version')
@Index('ix_price_version_effective', ['effectiveAtMs', 'number'])
export class PriceVersionEntity {
  /** 1, 2, 3 …; of two from the same time on, the later one is in force. */
  @PrimaryColumn(integerColumn) number!: number;

  /** `tiers` and `models` as `tollgate.yaml` has them. */
  @Column(textColumn) document!: string;

  @Column(instantColumn) effectiveAtMs!: number;
  @Column(instantColumn) createdAtMs!: number;

  /** Who set it, as in the operators' log. */
  @Column(nameColumn) createdBy!: string;

  @Column({ ...instantColumn, nullable: true }) withdrawnAtMs!: number | null;
}
