import { Column, Entity, PrimaryColumn } from 'typeorm';
import { integerColumn, nameColumn } from '../../database/columns.js';

/** How many gifts went to one network on one day, or to everybody in one hour. */
@Entity('signup_gift_count')
export class SignupGiftCountEntity {
  /** Such as `network 192.0.2.0/24 on 2026-01-31`. */
  @PrimaryColumn(nameColumn) scope!: string;

  @Column(integerColumn) given!: number;
}
