import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, textColumn } from '../database/columns.js';

/** Up to where an endpoint was told of calls. There is one for each endpoint that is on and wants any. */
@Entity('webhook_call_look')
@Index('ix_webhook_call_look_due', ['dueAtMs'])
export class WebhookCallLookEntity {
  @PrimaryColumn({ ...idColumn, name: 'endpoint_id' })
  endpointId!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** Calls that began before it are not told. */
  @Column({ ...instantColumn, name: 'since_ms' })
  sinceMs!: number;

  /** When its account's calls are looked at next; whoever looks moves this on first, so that no two processes do. */
  @Column({ ...instantColumn, name: 'due_at_ms' })
  dueAtMs!: number;

  /** The ids of the newest calls that were looked at, without `call_`, with spaces between them; null: none yet. */
  @Column({ ...textColumn, nullable: true })
  seen!: string | null;
}
