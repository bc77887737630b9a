import { Column, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, textColumn } from '../database/columns.js';

/** What is kept under a name, whoever keeps it: each kind of keeper has a table of its own. */
export abstract class StoredItem {
  /** A hash of whose it is, its kind and its name, so that there is one of each name. */
  @PrimaryColumn({ ...hashColumn })
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...nameColumn })
  name!: string;

  /** JSON, as the dashboard reads it. */
  @Column({ ...textColumn })
  content!: string;

  @Column({ ...instantColumn, name: 'saved_at_ms' })
  savedAtMs!: number;
}
