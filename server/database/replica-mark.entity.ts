import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, integerColumn } from './columns.js';

/**
 * The one row that names the database, see `database-id.ts`. It is written on the primary again and again where there is a replica, which
 * shows by it how far it has come.
 */
@Entity('replica_mark')
export class ReplicaMarkEntity {
  /** Always 1. */
  @PrimaryColumn(integerColumn) id!: number;

  /** Chosen by chance when the row was made: another installation's database, and its replica, have another. */
  @Column(idColumn) name!: string;

  /** By the primary's clock; 0 while nobody has read from a replica. */
  @Column(instantColumn) atMs!: number;
}
