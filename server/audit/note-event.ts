import { type EntityManager, LessThan, LessThanOrEqual } from 'typeorm';
import { networkOf } from '../kernel/addresses/network-address.js';
import { createId, leastIdAt, timeOfId } from '../kernel/ids.js';
import { onlyPrintable } from '../kernel/texts/printable-text.js';
import { AccountEventEntity } from './account-event.entity.js';
import { type Actor, findActor } from './acting.js';
import type { EventKind } from './event-kinds.js';

const dayMs = 24 * 60 * 60_000;
/** An event is kept for a year, */
export const eventKeptMs = 365 * dayMs;
/** … and while it is one of so many of its account. */
export const eventsPerAccountMax = 5_000;
const textLengthMax = 191;

export interface NewEvent {
  readonly accountId: string;
  readonly kind: EventKind;
  /** What it was done to, by its id. */
  readonly subjectId?: string;
  /** What a person knows that by; cut to 191 characters. Never a secret. */
  readonly detail?: string | null;
}

/**
 * Writes down what happens to an account, in the transaction in which it happens, in the name of whoever `actAs` names. Of each
 * account the newest 5,000 events of a year are kept. @param actor of an event that is written down later than it happened.
 */
export async function noteEvent(
  transaction: EntityManager,
  event: NewEvent,
  actor: Actor | null = findActor(),
): Promise<void> {
  const row = toRow(event, actor);
  await transaction.insert(AccountEventEntity, row);
  await removeOld(transaction, { accountId: row.accountId, nowMs: row.createdAtMs });
}

/**
 * The same event as a write that the ledger makes in a transaction of its own. It removes nothing: whoever asks for it calls `removeOldEvents`
 * behind that.
 */
export function toEventInsert(event: NewEvent, actor: Actor | null = findActor()) {
  const row = toRow(event, actor);
  const columns = {
    ...{ id: row.id, account_id: row.accountId, kind: row.kind, created_at_ms: row.createdAtMs },
    ...{ subject_id: row.subjectId, detail: row.detail, actor_id: row.actorId, person_id: row.personId },
    ...{ role: row.role, network: row.network, user_agent: row.userAgent },
  };
  const names = Object.keys(columns);
  return {
    sql: `INSERT INTO account_event (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    values: Object.values(columns),
  };
}

/** Keeps an account's events within their bounds. A process that dies before it has done so loses nothing: the next event does the same. */
export async function removeOldEvents(transaction: EntityManager, accountId: string): Promise<void> {
  await removeOld(transaction, { accountId, nowMs: timeOfId(createId('accountEvent')) });
}

/** Forgets every event of an account whose owner deletes it, but that it was deleted: they tell where its owner was. */
export async function forgetEvents(transaction: EntityManager, accountId: string): Promise<void> {
  await transaction.delete(AccountEventEntity, { accountId });
  await noteEvent(transaction, { accountId, kind: 'account_deleted' }, null);
}

async function removeOld(transaction: EntityManager, { accountId, nowMs }: { accountId: string; nowMs: number }) {
  // A clock that was set forward is believed only when events are a day old by it: what is removed does not come back.
  const [proven] = await transaction.find(AccountEventEntity, {
    select: { id: true },
    where: { accountId, id: LessThan(leastIdAt('accountEvent', nowMs - dayMs)) },
    order: { id: 'DESC' },
    take: 1,
  });
  if (proven) {
    const oldest = LessThan(leastIdAt('accountEvent', timeOfId(proven.id) - eventKeptMs));
    await transaction.delete(AccountEventEntity, { accountId, id: oldest });
  }
  const [first] = await transaction.find(AccountEventEntity, {
    select: { id: true },
    where: { accountId },
    order: { id: 'DESC' },
    skip: eventsPerAccountMax,
    take: 1,
  });
  if (first) await transaction.delete(AccountEventEntity, { accountId, id: LessThanOrEqual(first.id) });
}

function toRow({ accountId, kind, subjectId, detail }: NewEvent, actor: Actor | null): AccountEventEntity {
  const id = createId('accountEvent');
  return {
    id,
    accountId,
    kind,
    createdAtMs: timeOfId(id),
    subjectId: subjectId ?? null,
    detail: detail == null ? null : clean(detail),
    actorId: actor?.actorId ?? null,
    personId: actor?.personId ?? null,
    role: actor?.role ?? null,
    network: actor && clean(networkOf(actor.address)),
    userAgent: actor?.userAgent == null ? null : clean(actor.userAgent),
  };
}

function clean(text: string): string {
  return onlyPrintable(text).slice(0, textLengthMax);
}
