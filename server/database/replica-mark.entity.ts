import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn } from './columns.js';

/** The one row that is written on the primary again and again, so that a replica shows by it how far it has come. */
@Entity('replica_mark')
export class ReplicaMarkEntity {
  /** Always 1. */
  @PrimaryColumn(integerColumn)
  id!: number;

  /** Chosen by chance when the row was made: another installation's replica has another. */
  @Column(idColumn)
  name!: string;

  /** By the primary's clock. */
  @Column({ ...instantColumn, name: 'at_ms' })
  atMs!: number;
}
