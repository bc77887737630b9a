import { Column, Entity, PrimaryColumn } from 'typeorm';
import { booleanColumn, instantColumn, integerColumn, nameColumn, urlColumn } from '../database/columns.js';

/** What the operator has set of one provider while servers run. */
@Entity('provider_setting')
export class ProviderSettingEntity {
  /** The provider's name in routes, such as `openai`. */
  @PrimaryColumn(nameColumn) id!: string;

  @Column(booleanColumn) isOff!: boolean;

  /** Its place among providers, the lowest first; null: behind those that have one, as the price list says. */
  @Column({ ...integerColumn, name: 'place', nullable: true }) rank!: number | null;

  /** Set, with the two below, only for a provider that neither the file nor the built-in catalogue knows. */
  @Column({ ...nameColumn, nullable: true }) name!: string | null;

  @Column({ ...nameColumn, nullable: true }) adapter!: string | null;
  @Column({ ...urlColumn, nullable: true }) baseUrl!: string | null;
  @Column(instantColumn) updatedAtMs!: number;
}
