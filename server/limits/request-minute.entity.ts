import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, textColumn } from '../database/columns.js';

/** When an account made its latest requests, where MySQL counts them for several instances. */
@Entity('request_minute')
export class RequestMinuteEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** Milliseconds since 1970-01-01 UTC by the database's clock, in base 36, oldest first, with spaces between. */
  @Column(textColumn) moments!: string;
}
