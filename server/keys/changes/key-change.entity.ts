import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn } from '../../database/columns.js';

/** A key or an account that was changed, until every instance knows of it. Empty on SQLite, where there is one instance. */
@Entity('key_change')
export class KeyChangeEntity {
  @PrimaryColumn(countColumn) number!: number;
  @Column(idColumn) accountId!: string;

  /** null: all keys of the account. */
  @Column({ ...idColumn, nullable: true }) keyId!: string | null;

  /** By the database's clock. */
  @Column(instantColumn) atMs!: number;
}
