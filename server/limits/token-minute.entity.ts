import { Column, Entity, PrimaryColumn } from 'typeorm';
import { idColumn, textColumn } from '../database/columns.js';

/** The tokens of an account or a key in its latest seconds, where MySQL counts them for several instances. */
@Entity('token_minute')
export class TokenMinuteEntity {
  @PrimaryColumn(idColumn) ownerId!: string;

  /** `second:tokens` with spaces between; seconds since 1970-01-01 UTC by the database's clock. */
  @Column(textColumn) seconds!: string;
}
