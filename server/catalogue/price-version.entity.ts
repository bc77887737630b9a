import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { instantColumn, integerColumn, nameColumn, textColumn } from '../database/columns.js';

/** Models and prices from one time on, as an operator has set them. Its text is never changed; only one that is still to come is withdrawn. */
@Entity('price_version')
@Index('ix_price_version_effective', ['effectiveAtMs', 'number'])
export class PriceVersionEntity {
  /** 1, 2, 3 …; of two from the same time on, the later one is in force. */
  @PrimaryColumn(integerColumn)
  number!: number;

  /** `tiers` and `models` as `tollgate.yaml` has them. */
  @Column(textColumn)
  document!: string;

  @Column({ ...instantColumn, name: 'effective_at_ms' })
  effectiveAtMs!: number;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;

  /** Who set it, as in the operators' log. */
  @Column({ ...nameColumn, name: 'created_by' })
  createdBy!: string;

  @Column({ ...instantColumn, name: 'withdrawn_at_ms', nullable: true })
  withdrawnAtMs!: number | null;
}
