import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn, nameColumn, textColumn } from '../database/columns.js';

/** One key of a provider, sealed; removed for ever when it is replaced or taken out. */
@Entity('provider_key')
@Index('ix_provider_key_provider', ['providerId', 'id'])
export class ProviderKeyEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(nameColumn) providerId!: string;
  @Column(textColumn) sealedSecret!: string;

  /** Its last four characters, for people. */
  @Column(nameColumn) masked!: string;

  @Column(integerColumn) weight!: number;
  @Column(instantColumn) createdAtMs!: number;
}
