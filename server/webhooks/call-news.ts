import { type EntityManager, In, MoreThanOrEqual } from 'typeorm';
import { queryByIndex } from '../database/query-by-index.js';
import { isDue } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId, leastIdAt } from '../kernel/ids.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { countWaitingMessages, forgetOldCalls } from '../notices/endpoint-messages.js';
import { callsSubject, type Outbox } from '../notices/outbox.js';
import type { CallRecord } from '../usage/requests/call-reader.js';
import type { KeptRefusal } from '../usage/requests/refusal-reader.js';
import { type CallEvent, describeEvents, packEvents, toCallEvent, toRefusalEvent } from './call-messages.js';
import { WebhookCallLookEntity } from './webhook-call-look.entity.js';
import type { WebhookEndpoint } from './webhook-endpoints.js';

export interface CallNewsParts {
  readonly unitOfWork: UnitOfWork;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly clock: Clock;
  readonly logger: Logger;
  findEndpoint(endpointId: string): Promise<WebhookEndpoint | null>;
}

const roundMs = 5_000;
const looksPerRound = 200;
/** Between two looks at the calls of an endpoint's account. */
const lookEveryMs = 10_000;
/** A call is told when it is one of so many of its account, the newest, */
export const newestCallsMax = 2_000;
/** … of a day, so that what is booked late is told, too. */
const lookBackMs = 24 * 3_600_000;
const newestRefusalsMax = 200;
/** So many calls and refused requests are told of after one look; the others wait for the next. */
export const eventsPerLookMax = 500;
/** While so many messages wait, its calls stay where they are. */
export const messagesWaitingMax = 10;
/** So many messages of calls are kept for each endpoint, to be looked up and sent again. */
export const messagesKeptMax = 100;

interface Found {
  /** Oldest first. */
  readonly ids: readonly string[];
  /** Whether there were more calls than are looked at, and some of those between may never be told. */
  readonly hasGap: boolean;
}

/**
 * Tells endpoints of calls: every ten seconds what has ended since, in lists. It reads the receipts that the ledger wrote, so nothing
 * of it is on a call's way, and nothing is lost with a process. A list and what it was made of are written in one
 * transaction: no call is put into two of them, and each of an account's newest 2,000 calls of a day into one, however late it was booked. What is
 * beyond that is not told, and the next message says that there is a gap.
 */
export class CallNews {
  readonly #job: RepeatedJob;

  constructor(private readonly parts: CallNewsParts) {
    this.#job = new RepeatedJob({
      run: (signal) => this.look(signal),
      intervalMs: roundMs,
      onFailure: (error) => parts.logger.warn('calls_not_told', { message: (error as Error).message }),
    });
  }

  /** Looks about every five seconds for endpoints whose turn it is. */
  start(): void {
    this.#job.startAfterInterval();
  }

  close(): Promise<void> {
    return this.#job.close();
  }

  /** Looks at the calls of up to 200 endpoints whose turn it is. What fails is tried again at its next turn. */
  async look(signal?: AbortSignal): Promise<void> {
    const { clock, logger, unitOfWork } = this.parts;
    const due = await unitOfWork.reader.find(WebhookCallLookEntity, {
      select: { endpointId: true, accountId: true, sinceMs: true, dueAtMs: true },
      where: { dueAtMs: isDue(clock.nowMs(), lookEveryMs) },
      order: { dueAtMs: 'ASC' },
      take: looksPerRound,
    });
    for (const look of due) {
      if (signal?.aborted) return;
      const { endpointId, accountId } = look;
      await this.#lookFor(look).catch((error: Error) => {
        logger.warn('calls_not_told', { endpointId, accountId, message: error.message });
      });
    }
  }

  async #lookFor({ endpointId, dueAtMs, sinceMs }: WebhookCallLookEntity): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const nextMs = nowMs + lookEveryMs;
    // One that was made while the clock was ahead is told of calls from now on, not from then on.
    const next = { dueAtMs: nextMs, sinceMs: Math.min(sinceMs, nowMs) };
    const { affected } = await unitOfWork.transactForServer((transaction) =>
      transaction.update(WebhookCallLookEntity, { endpointId, dueAtMs }, next),
    );
    const look = affected === 1 ? await unitOfWork.reader.findOneBy(WebhookCallLookEntity, { endpointId }) : null;
    const endpoint = look && (await this.parts.findEndpoint(endpointId));
    if (!look || !endpoint || (await this.#countWaiting(endpoint)) >= messagesWaitingMax) return;
    const seen = new Set(look.seen === null || look.seen === '' ? [] : look.seen.split(' ').map((id) => `call_${id}`));
    const { ids, hasGap } = await this.#findNewest(look, seen);
    const unseen = ids.filter((id) => !seen.has(id));
    if (unseen.length === 0 && look.seen !== null) return;
    const told = unseen.slice(0, eventsPerLookMax);
    const left = new Set(unseen.slice(eventsPerLookMax));
    const events = (await this.#readEvents(told)).filter(({ type }) => endpoint.events.includes(type));
    const nowSeen = ids.filter((id) => !left.has(id)).map((id) => id.slice('call_'.length));
    await unitOfWork.transactForServer(async (transaction) => {
      const change = { seen: nowSeen.join(' ') };
      const kept = await transaction.update(WebhookCallLookEntity, { endpointId, dueAtMs: nextMs }, change);
      // Another process has looked meanwhile, or nobody wants it any more.
      if (kept.affected !== 1) return;
      await this.#put(transaction, endpoint, events, hasGap);
    });
  }

  #countWaiting({ id: endpointId, accountId }: WebhookEndpoint): Promise<number> {
    return countWaitingMessages(this.parts.unitOfWork.reader, { accountId, endpointId });
  }

  /** The ids of the newest calls and refused requests that an endpoint may be told of, those that it was told of among them. */
  async #findNewest({ accountId, sinceMs }: WebhookCallLookEntity, seen: ReadonlySet<string>): Promise<Found> {
    const { clock, unitOfWork } = this.parts;
    const leastId = leastIdAt('call', Math.max(sinceMs, clock.nowMs() - lookBackMs, 0));
    const query = unitOfWork.reader.getRepository<CallRecord>('call_record').createQueryBuilder('call');
    query.setFindOptions({
      where: { accountId, callId: MoreThanOrEqual(leastId) },
      select: { callId: true },
      order: { callId: 'DESC' },
      take: newestCallsMax,
    });
    const calls = (await queryByIndex(query, 'ix_call_record_account')).map((row) => String(row.call_call_id));
    const refusals = await unitOfWork.reader.getRepository<KeptRefusal>('refusal').find({
      where: { accountId, id: MoreThanOrEqual(leastId) },
      select: { id: true },
      order: { id: 'DESC' },
      take: newestRefusalsMax,
    });
    const oldest = calls.at(-1);
    return {
      ids: [...calls, ...refusals.map(({ id }) => id)].sort(),
      hasGap: calls.length === newestCallsMax && oldest !== undefined && !seen.has(oldest),
    };
  }

  async #readEvents(ids: readonly string[]): Promise<CallEvent[]> {
    if (ids.length === 0) return [];
    const { reader } = this.parts.unitOfWork;
    const calls = await reader.getRepository<CallRecord>('call_record').findBy({ callId: In(ids) });
    const refusals = await reader.getRepository<KeptRefusal>('refusal').findBy({ id: In(ids) });
    const events = [...calls.map(toCallEvent), ...refusals.map(toRefusalEvent)];
    return events.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async #put(
    transaction: EntityManager,
    { id: endpointId, accountId, url }: WebhookEndpoint,
    events: readonly CallEvent[],
    hasGap: boolean,
  ): Promise<void> {
    const { clock, outbox } = this.parts;
    const at = new Date(clock.nowMs()).toISOString();
    const lists = packEvents(events);
    if (hasGap && lists.length === 0) lists.push([]);
    for (const [index, list] of lists.entries()) {
      const body = JSON.stringify({ type: 'calls', accountId, at, hasGap: hasGap && index === 0, events: list });
      const about = { accountId, channel: 'endpoint', endpointId, recipient: url } as const;
      const subjectKey = `${callsSubject}${endpointId}:${createId('notice')}`;
      await outbox.put(transaction, { ...about, subjectKey, title: describeEvents(list), body });
    }
    await forgetOldCalls(transaction, { accountId, endpointId }, messagesKeptMax);
  }
}
