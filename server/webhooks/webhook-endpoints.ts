import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { holdAccountRow } from '../database/hold-account-row.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { findMadeChange, noteMadeChange } from '../idempotency/idempotent-changes.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { isPrintableWithin } from '../kernel/texts/printable-text.js';
import { removeMessages } from '../notices/endpoint-messages.js';
import { assertWebhookUrl } from '../notices/webhook-address.js';
import { WebhookCallLookEntity } from './webhook-call-look.entity.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { callEvents, type WebhookEvent, webhookEvents } from './webhook-events.js';

/** An address where an account has events posted. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly isOn: boolean;
  readonly createdAtMs: number;
}

export type WebhookEndpointChoice = Pick<WebhookEndpoint, 'name' | 'url' | 'events' | 'isOn'>;

/** What is left out, or null, stays as it is. */
export type WebhookEndpointChange = {
  readonly [Field in keyof WebhookEndpointChoice]?: WebhookEndpointChoice[Field] | null | undefined;
};

export interface WebhookEndpointsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly isProduction: boolean;
  /** Called when an account has changed what it wants to be told. */
  onChange(accountId: string): void;
}

export const endpointsOfAccountMax = 5;
const nameLengthMax = 60;
const rotatedElsewhere =
  'This endpoint got another secret by another request at the same moment, and none by this one. Use the one that it has now, or ask again.';

/** The endpoints of accounts: at most five each, every one with a secret and events of its own. */
export class WebhookEndpoints {
  constructor(private readonly parts: WebhookEndpointsParts) {}

  /** In the order in which they were made. */
  async list(accountId: string): Promise<readonly WebhookEndpoint[]> {
    const { reader } = this.parts.unitOfWork;
    const rows = await reader.find(WebhookEndpointEntity, { where: { accountId }, order: { id: 'ASC' } });
    return rows.map(toEndpoint);
  }

  /** null: there is none any more. */
  async find(id: string): Promise<WebhookEndpoint | null> {
    const row = await this.parts.unitOfWork.reader.findOneBy(WebhookEndpointEntity, { id });
    return row === null ? null : toEndpoint(row);
  }

  /** Those that are on and want an event. */
  async listFor(accountId: string, event: string): Promise<readonly WebhookEndpoint[]> {
    return (await this.list(accountId)).filter(({ events, isOn }) => isOn && events.some((wanted) => wanted === event));
  }

  /**
   * @param idempotencyKey The same choice with the same key within 24 hours answers the same endpoint; null: each is another.
   * @throws InvalidInputError that names the field; AppError `conflict` for a sixth one, and where the endpoint that was made with
   *   the key is deleted; with a key, what `findMadeChange` throws.
   */
  async create(
    accountId: string,
    choice: WebhookEndpointChoice,
    idempotencyKey: string | null = null,
  ): Promise<WebhookEndpoint> {
    const nowMs = this.parts.clock.nowMs();
    const wanted = this.#read(choice);
    const endpoint = {
      id: createId('webhookEndpoint'),
      accountId,
      ...wanted,
      secret: makeSecret(),
      createdAtMs: nowMs,
    };
    const { name, url, events, isOn } = wanted;
    const input = JSON.stringify(['createWebhookEndpoint', name, url, events, isOn]);
    const change = idempotencyKey === null ? null : { accountId, key: idempotencyKey, input, nowMs };
    const made = await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      // One change of the account at a time, so that the same request at its side finds what this one has made.
      await holdAccountRow(transaction, accountId);
      const before = change && (await findMadeChange(transaction, change));
      if (before) return getMadeEndpoint(transaction, accountId, before.subjectId);
      await this.#insert(transaction, endpoint);
      if (change) await noteMadeChange(transaction, change, { subjectId: endpoint.id, note: null });
      return endpoint;
    });
    this.parts.onChange(accountId);
    return made;
  }

  async #insert(transaction: EntityManager, endpoint: WebhookEndpoint): Promise<void> {
    const { accountId } = endpoint;
    if ((await transaction.countBy(WebhookEndpointEntity, { accountId })) >= endpointsOfAccountMax) {
      const words = `An account has ${endpointsOfAccountMax} endpoints at most. Delete one that nobody needs.`;
      throw new AppError('conflict', words);
    }
    await transaction.insert(WebhookEndpointEntity, toRow(endpoint));
    await this.#keepLook(transaction, endpoint, null);
    await noteEvent(transaction, about(endpoint, 'webhook_endpoint_created'));
  }

  /** Changes what is told and where; its secret stays. @throws as `create`; AppError `not_found`. */
  async update(accountId: string, id: string, change: WebhookEndpointChange): Promise<WebhookEndpoint> {
    const endpoint = await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const before = await getEndpoint(transaction, accountId, id);
      const after = { ...before, ...this.#read(applyChange(before, change)) };
      await transaction.update(WebhookEndpointEntity, { id, accountId }, toRow(after));
      await this.#keepLook(transaction, after, before);
      await noteEvent(transaction, about(after, 'webhook_endpoint_changed'));
      return after;
    });
    this.parts.onChange(accountId);
    return endpoint;
  }

  /**
   * Gives it another secret, by which everything is signed that leaves from now on; of several who ask at once, for one alone.
   * @throws AppError `not_found`; `conflict` to the others.
   */
  async rotateSecret(accountId: string, id: string): Promise<WebhookEndpoint> {
    const { unitOfWork } = this.parts;
    const seen = await unitOfWork.reader.findOneBy(WebhookEndpointEntity, { id, accountId });
    return unitOfWork.transactInTurn(accountId, async (transaction) => {
      const before = await getEndpoint(transaction, accountId, id);
      if (before.secret !== seen?.secret) throw new AppError('conflict', rotatedElsewhere);
      const after = { ...before, secret: makeSecret() };
      await transaction.update(WebhookEndpointEntity, { id, accountId }, { secret: after.secret });
      await noteEvent(transaction, about(after, 'webhook_endpoint_changed'));
      return after;
    });
  }

  /** Removes it with everything that was sent or waits for it. @throws AppError `not_found`. */
  async remove(accountId: string, id: string): Promise<void> {
    await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const endpoint = await getEndpoint(transaction, accountId, id);
      await transaction.delete(WebhookEndpointEntity, { id, accountId });
      await transaction.delete(WebhookCallLookEntity, { endpointId: id });
      await removeMessages(transaction, { accountId, endpointId: id });
      await noteEvent(transaction, about(endpoint, 'webhook_endpoint_deleted'));
    });
    this.parts.onChange(accountId);
  }

  // An endpoint that begins to want calls is told of those from now on, and one that goes on wanting them of all.
  async #keepLook(transaction: EntityManager, after: WebhookEndpoint, before: WebhookEndpoint | null): Promise<void> {
    const { id: endpointId, accountId } = after;
    const isWanted = wantsCalls(after);
    if (before !== null && isWanted === wantsCalls(before)) return;
    await transaction.delete(WebhookCallLookEntity, { endpointId });
    if (!isWanted) return;
    const nowMs = this.parts.clock.nowMs();
    const look = { endpointId, accountId, sinceMs: nowMs, dueAtMs: nowMs, seen: null };
    await transaction.insert(WebhookCallLookEntity, look);
  }

  #read({ name, url, events, isOn }: WebhookEndpointChoice): WebhookEndpointChoice {
    const words = name.trim();
    if (!isPrintableWithin(words, 1, nameLengthMax))
      throw new InvalidInputError(
        'name',
        `A name has 1 to ${nameLengthMax} printable characters, at least one of them visible.`,
      );
    assertWebhookUrl('url', url, !this.parts.isProduction);
    const wanted = webhookEvents.filter((event) => events.includes(event));
    if (wanted.length === 0) throw new InvalidInputError('events', 'Choose at least one event.');
    return { name: words, url, events: wanted, isOn };
  }
}

function applyChange(
  before: WebhookEndpoint,
  { name, url, events, isOn }: WebhookEndpointChange,
): WebhookEndpointChoice {
  return {
    name: name ?? before.name,
    url: url ?? before.url,
    events: events ?? before.events,
    isOn: isOn ?? before.isOn,
  };
}

function wantsCalls({ events, isOn }: WebhookEndpoint): boolean {
  return isOn && events.some((event) => callEvents.has(event));
}

async function getMadeEndpoint(transaction: EntityManager, accountId: string, id: string): Promise<WebhookEndpoint> {
  const row = await transaction.findOneBy(WebhookEndpointEntity, { id, accountId });
  if (row !== null) return toEndpoint(row);
  const words = `This was done before, and made ${id}, which was deleted since. Use a new key for another endpoint.`;
  throw new AppError('conflict', words, { param: 'idempotencyKey' });
}

async function getEndpoint(transaction: EntityManager, accountId: string, id: string): Promise<WebhookEndpoint> {
  // A write comes first: on SQLite a transaction that has read before may not write once another one was committed.
  await transaction.update(WebhookEndpointEntity, { id, accountId }, { accountId });
  const row = await transaction.findOneBy(WebhookEndpointEntity, { id, accountId });
  if (row !== null) return toEndpoint(row);
  throw new AppError('not_found', 'There is no such endpoint in this account.');
}

function about(
  { accountId, id, name }: WebhookEndpoint,
  kind: `webhook_endpoint_${'created' | 'changed' | 'deleted'}`,
) {
  return { accountId, kind, subjectId: id, detail: name };
}

function toEndpoint({ events, ...row }: WebhookEndpointEntity): WebhookEndpoint {
  const wanted = events.split(' ');
  return { ...row, events: webhookEvents.filter((event) => wanted.includes(event)) };
}

function toRow({ events, ...endpoint }: WebhookEndpoint): WebhookEndpointEntity {
  return { ...endpoint, events: events.join(' ') };
}

function makeSecret(): string {
  return `tgwh_${randomBytes(32).toString('base64url')}`;
}
