import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn } from '../../database/columns.js';

/** A server process that lets calls in, and how far it has read the changes of keys. Empty on SQLite. */
@Entity('running_instance')
export class RunningInstanceEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** Grows with each sign of life, so that whoever watches needs no common clock. */
  @Column(countColumn) beats!: number;

  /** The number of the last change that it has taken over. */
  @Column(countColumn) changeRead!: number;

  /** When its last sign of life was, by the database's clock; for operators. */
  @Column(instantColumn) seenAtMs!: number;
}
