import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn } from '../database/columns.js';

/** Up to where a person has read what an account was told. */
@Entity('notice_read')
export class NoticeReadEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** By the account that they signed up with. */
  @PrimaryColumn(idColumn) personId!: string;

  @Column(instantColumn) readUntilMs!: number;
}
