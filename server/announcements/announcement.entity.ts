import { Column, Entity, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, instantColumn, nameColumn, textColumn } from '../database/columns.js';

/** Something that operators tell everybody who uses this installation. It stays when it is over. */
@Entity('announcement')
export class AnnouncementEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  /** Whether new calls are refused while it lasts. */
  @Column({ ...booleanColumn, name: 'is_maintenance' })
  isMaintenance!: boolean;

  @Column(textColumn)
  text!: string;

  @Column({ ...instantColumn, name: 'starts_at_ms' })
  startsAtMs!: number;

  /** null: until an operator ends it. */
  @Column({ ...instantColumn, name: 'ends_at_ms', nullable: true })
  endsAtMs!: number | null;

  /** As the operators' log names them. */
  @Column({ ...nameColumn, name: 'created_by' })
  createdBy!: string;

  @Column({ ...instantColumn, name: 'created_at_ms' })
  createdAtMs!: number;
}
