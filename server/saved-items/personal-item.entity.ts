import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, textColumn, wordColumn } from '../database/columns.js';
import type { PersonalItemKind } from './personal-items.js';

/** Something of the dashboard that a member keeps in an account for themselves. */
@Entity('personal_item')
@Index('ix_personal_item_account', ['accountId', 'personId'])
@Index('ix_personal_item_person', ['personId'])
export class PersonalItemEntity {
  /** A hash of account, person, kind and name, so that there is one of each name. */
  @PrimaryColumn({ ...hashColumn })
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column({ ...idColumn, name: 'person_id' })
  personId!: string;

  @Column({ ...wordColumn })
  kind!: PersonalItemKind;

  @Column({ ...nameColumn })
  name!: string;

  /** JSON, as the dashboard reads it. */
  @Column({ ...textColumn })
  content!: string;

  @Column({ ...instantColumn, name: 'saved_at_ms' })
  savedAtMs!: number;
}
