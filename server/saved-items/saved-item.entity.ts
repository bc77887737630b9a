import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, textColumn, wordColumn } from '../database/columns.js';
import type { SavedItemKind } from './saved-items.js';

/** Something of the dashboard that an account keeps under a name. */
@Entity('saved_item')
@Index('ix_saved_item_account', ['accountId', 'kind'])
export class SavedItemEntity {
  /** A hash of account, kind and name, so that there is one of each name. */
  @PrimaryColumn({ ...hashColumn })
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...wordColumn })
  kind!: SavedItemKind;

  @Column({ ...nameColumn })
  name!: string;

  /** JSON, as the dashboard reads it. */
  @Column({ ...textColumn })
  content!: string;

  @Column({ ...instantColumn, name: 'saved_at_ms' })
  savedAtMs!: number;
}
