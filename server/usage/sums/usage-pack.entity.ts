import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, integerColumn, textColumn } from '../../database/columns.js';

/** Some of the parts of a set, as `packParts` writes them. Written and removed with their set. */
@Entity('usage_pack')
export class UsagePackEntity {
  @PrimaryColumn(idColumn) setId!: string;
  @PrimaryColumn(integerColumn) number!: number;
  @Column(textColumn) parts!: string;
}
