import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, instantColumn, nameColumn, urlColumn } from '../database/columns.js';

/** An address where an account has events of its choice posted. */
@Entity('webhook_endpoint')
@Index('ix_webhook_endpoint_account', ['accountId', 'id'])
export class WebhookEndpointEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(nameColumn) name!: string;
  @Column(urlColumn) url!: string;

  /** What our messages to it are signed with; its owner may read it. */
  @Column(nameColumn) secret!: string;

  /** Words of `webhook-events.ts`, with spaces between them. */
  @Column(nameColumn) events!: string;

  /** Off: nothing new is written for it. */
  @Column(booleanColumn) isOn!: boolean;

  @Column(instantColumn) createdAtMs!: number;
}
