import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, instantColumn, integerColumn } from '../database/columns.js';

/** How often something was attempted in a window of time, where MySQL counts it for several instances. */
@Entity('attempt_count')
@Index('ix_attempt_count_ends', ['endsAtMs'])
export class AttemptCountEntity {
  /** SHA-256 of what is counted and whose it is: names of people and networks are not needed here. */
  @PrimaryColumn(hashColumn) nameHash!: string;

  @Column(integerColumn) attempts!: number;

  /** By the database's clock. Past it the row says nothing any more. */
  @Column(instantColumn) endsAtMs!: number;
}
