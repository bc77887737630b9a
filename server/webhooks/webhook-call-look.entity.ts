import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, textColumn } from '../database/columns.js';

/** Up to where an endpoint was told of calls. There is one for each endpoint that is on and wants any. */
@Entity('webhook_call_look')
@Index('ix_webhook_call_look_due', ['dueAtMs'])
export class WebhookCallLookEntity {
  @PrimaryColumn(idColumn) endpointId!: string;
  @Column(idColumn) accountId!: string;

  /** Calls that began before it are not told. */
  @Column(instantColumn) sinceMs!: number;

  /** When its account's calls are looked at next; whoever looks moves this on first, so that no two processes do. */
  @Column(instantColumn) dueAtMs!: number;

  /** The ids of the newest calls that were looked at, without `call_`, with spaces between them; null: none yet. */
  @Column({ ...textColumn, nullable: true }) seen!: string | null;
}
