import { Column, Entity, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, instantColumn, nameColumn, textColumn } from '../database/columns.js';

/** Something that operators tell everybody who uses this installation. It stays when it is over. */
@Entity('announcement')
export class AnnouncementEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** Whether new calls are refused while it lasts. */
  @Column(booleanColumn) isMaintenance!: boolean;

  @Column(textColumn) text!: string;
  @Column(instantColumn) startsAtMs!: number;

  /** null: until an operator ends it; 0: one has. */
  @Column({ ...instantColumn, nullable: true }) endsAtMs!: number | null;

  /** As the operators' log names them. */
  @Column(nameColumn) createdBy!: string;

  @Column(instantColumn) createdAtMs!: number;
}
