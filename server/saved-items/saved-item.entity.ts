import { Column, Entity, Index } from 'typeorm';
import { wordColumn } from '../database/columns.js';
import type { SavedItemKind } from './saved-items.js';
import { StoredItem } from './stored-item.js';

/** Something of the dashboard that an account keeps under a name. */
@Entity('saved_item')
@Index('ix_saved_item_account', ['accountId', 'kind'])
export class SavedItemEntity extends StoredItem {
  @Column(wordColumn) kind!: SavedItemKind;
}
