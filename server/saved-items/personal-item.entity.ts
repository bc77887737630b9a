import { Column, Entity, Index } from 'typeorm';
import { idColumn, wordColumn } from '../database/columns.js';
import type { PersonalItemKind } from './personal-items.js';
import { StoredItem } from './stored-item.js';

/** Something of the dashboard that a member keeps in an account for themselves. */
@Entity('personal_item')
@Index('ix_personal_item_account', ['accountId', 'personId'])
@Index('ix_personal_item_person', ['personId'])
export class PersonalItemEntity extends StoredItem {
  @Column(idColumn) personId!: string;
  @Column(wordColumn) kind!: PersonalItemKind;
}
