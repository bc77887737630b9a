import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, textColumn } from '../database/columns.js';

/** The last report of a server process. The row goes when the process ends in order, and an hour after one that did not. */
@Entity('instance_report')
@Index('ix_instance_report_time', ['reportedAtMs'])
export class InstanceReportEntity {
  /** Of the process, `inst_…`; its leases and holds have the same. */
  @PrimaryColumn(idColumn) id!: string;

  @Column(instantColumn) reportedAtMs!: number;

  /** An `InstanceReport` as JSON. */
  @Column(textColumn) report!: string;
}
