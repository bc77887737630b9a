import type { EntityManager } from 'typeorm';
import type { EventsSince } from '../../audit/events-since.js';
import { noteEvent } from '../../audit/note-event.js';
import type { EndedParts, SinceThen } from './end-ways-in.js';

interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAtMs: number;
}

interface Alert {
  readonly accountId: string;
  readonly webhookUrl: string | null;
}

interface ReceiptLink {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly callId: string;
}

/**
 * Ends what sends an account's data out, or shows it, and was made or changed since by anybody but members from before: webhook
 * endpoints with what waits for them, the webhook of the balance alert, links to receipts. Named by their tables, since accounts know
 * nobody who keeps them.
 */
export async function endWaysOut(
  transaction: EntityManager,
  { accountId, events, sinceMs }: SinceThen,
): Promise<EndedParts> {
  const mayStay = ({ id, createdAtMs }: Endpoint) =>
    events.provesNone(['webhook_endpoint_created', 'webhook_endpoint_changed'], id) &&
    (createdAtMs < sinceMs || events.isByTrusted('webhook_endpoint_created', id));
  const endpoints = await transaction.findBy<Endpoint>('webhook_endpoint', { accountId });
  const ending = endpoints.filter((endpoint) => !mayStay(endpoint));
  for (const { id, name } of ending) {
    await transaction.delete('webhook_call_look', { endpointId: id });
    await transaction.delete('notice', { accountId, endpointId: id });
    await transaction.delete('webhook_endpoint', { id });
    await noteEvent(transaction, { accountId, kind: 'webhook_endpoint_deleted', subjectId: id, detail: name });
  }
  return {
    'webhook endpoint': ending.length,
    'webhook of the balance alert': await endAlertWebhook(transaction, accountId, events),
    'shared receipt': await endReceiptLinks(transaction, accountId, events),
  };
}

async function endAlertWebhook(transaction: EntityManager, accountId: string, events: EventsSince): Promise<number> {
  if (events.provesNone(['balance_alert_set'])) return 0;
  const alert = await transaction.findOneBy<Alert>('balance_alert', { accountId });
  if (!alert?.webhookUrl) return 0;
  await transaction.update('balance_alert', { accountId }, { webhookUrl: null, webhookSecret: null });
  await noteEvent(transaction, { accountId, kind: 'balance_alert_set' });
  return 1;
}

// They have no date, and the event names the call.
async function endReceiptLinks(transaction: EntityManager, accountId: string, events: EventsSince): Promise<number> {
  const links = await transaction.findBy<ReceiptLink>('receipt_link', { accountId });
  const ending = links.filter(({ callId }) => !events.provesNone(['receipt_shared'], callId));
  for (const { tokenHash } of ending) await transaction.delete('receipt_link', { tokenHash });
  for (const subjectId of new Set(ending.map(({ callId }) => callId))) {
    await noteEvent(transaction, { accountId, kind: 'receipt_unshared', subjectId });
  }
  return ending.length;
}
