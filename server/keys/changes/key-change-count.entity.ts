import { Column, Entity, PrimaryColumn } from 'typeorm';
import { booleanColumn, countColumn, integerColumn } from '../../database/columns.js';

/** The one row that gives changes of keys their numbers, without gaps and in the order of their commits. Empty on SQLite. */
@Entity('key_change_count')
export class KeyChangeCountEntity {
  /** Always 1. */
  @PrimaryColumn(integerColumn) id!: number;

  /** Of the latest change. */
  @Column(countColumn) number!: number;

  /** Whether every instance that runs on this database notes its changes; those of the release before this table do not. */
  @Column(booleanColumn) isComplete!: boolean;
}
