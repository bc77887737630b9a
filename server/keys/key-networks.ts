import { type EntityManager, In, IsNull, LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { networkBlockOf } from '../kernel/addresses/network-address.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { KeyNetworkEntity } from './key-network.entity.js';

export interface KeyNetworksParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface NotedKey {
  /** The addresses that were looked at, as they came. */
  readonly addresses: Set<string>;
  readonly networks: Set<string>;
}

interface Waiting {
  readonly day: number;
  readonly keyId: string;
  readonly accountId: string;
  readonly networks: Set<string>;
}

export const dayMs = 24 * 60 * 60_000;
/** So many networks of a key and day are kept; more come from a crowd, and the count tells nothing further. */
export const networksOfKeyMax = 50;
export const networksKeptDays = 30;
const flushMs = 10_000;
const removeMs = 60 * 60_000;
/** Keys, addresses and networks in memory, together. Beyond that it begins anew, and what is seen again is on disk already. */
const notedMax = 200_000;
const addressesOfKeyMax = 64;
/** Networks that wait to be written. */
const waitingMax = 5_000;
const keysAtOnce = 50;
const removedAtOnce = 200;

/**
 * Notes from which networks keys are used: a look into a map for an address that was seen today, and nothing else on a request's way. A key
 * that a process has seen in one network only is not written down. The others are written seconds later, in batches of 50 keys, at
 * most 50 networks of a key and day, and kept for 30 days. Nobody depends on it: what the database does not take is dropped and logged.
 */
export class KeyNetworks {
  #day = 0;
  #notedCount = 0;
  readonly #noted = new Map<string, NotedKey>();
  readonly #waiting = new Map<string, Waiting>();
  #waitingCount = 0;
  #flushTimer: NodeJS.Timeout | null = null;
  #removeTimer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: KeyNetworksParts) {}

  /** Removes what is older than 30 days, now and every hour. */
  start(): void {
    this.#remove();
    this.#removeTimer = setInterval(() => this.#remove(), removeMs).unref();
  }

  /** Writes the last ones. Never throws. */
  async close(): Promise<void> {
    if (this.#removeTimer !== null) clearInterval(this.#removeTimer);
    await this.flush();
  }

  /** Never throws and waits for nothing. */
  note(key: { readonly keyId: string; readonly accountId: string }, address: string): void {
    const day = Math.floor(this.parts.clock.nowMs() / dayMs);
    if (day !== this.#day) this.#begin(day);
    const noted = this.#noted.get(key.keyId);
    if (noted?.addresses.has(address) || noted?.networks.size === networksOfKeyMax) return;
    this.#noteAddress(key, address, noted ?? this.#addKey(key.keyId));
  }

  /** Writes what waits; done when it is written or dropped. Never throws. */
  flush(): Promise<void> {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#waitingCount = 0;
    if (waiting.length > 0) this.#writing = this.#writing.then(() => this.#write(waiting));
    return this.#writing;
  }

  #begin(day: number): void {
    this.#day = day;
    this.#noted.clear();
    this.#notedCount = 0;
  }

  #addKey(keyId: string): NotedKey {
    if (this.#notedCount >= notedMax) this.#begin(this.#day);
    const noted = { addresses: new Set<string>(), networks: new Set<string>() };
    this.#notedCount += 1;
    this.#noted.set(keyId, noted);
    return noted;
  }

  #noteAddress(key: { readonly keyId: string; readonly accountId: string }, address: string, noted: NotedKey): void {
    // It is looked at again once there is room.
    if (this.#waitingCount >= waitingMax) return;
    if (noted.addresses.size >= addressesOfKeyMax) {
      this.#notedCount -= noted.addresses.size;
      noted.addresses.clear();
    }
    noted.addresses.add(address);
    this.#notedCount += 1;
    const network = networkBlockOf(address);
    if (!noted.networks.has(network)) {
      noted.networks.add(network);
      this.#notedCount += 1;
      if (noted.networks.size === 2) for (const one of noted.networks) this.#wait(key, one);
      else if (noted.networks.size > 2) this.#wait(key, network);
    }
  }

  #wait({ keyId, accountId }: { readonly keyId: string; readonly accountId: string }, network: string): void {
    const name = `${this.#day} ${keyId}`;
    const waiting = this.#waiting.get(name) ?? { day: this.#day, keyId, accountId, networks: new Set<string>() };
    this.#waiting.set(name, waiting);
    waiting.networks.add(network);
    this.#waitingCount += 1;
    this.#flushTimer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    for (const day of new Set(waiting.map((one) => one.day))) {
      const ofDay = waiting.filter((one) => one.day === day);
      for (let at = 0; at < ofDay.length; at += keysAtOnce)
        await this.#writeKeys(day, ofDay.slice(at, at + keysAtOnce));
    }
  }

  async #writeKeys(day: number, keys: readonly Waiting[]): Promise<void> {
    const { logger, unitOfWork } = this.parts;
    try {
      const rows = await listNewRows(unitOfWork.reader, day, keys);
      if (rows.length === 0) return;
      await unitOfWork.transactForServer((transaction) =>
        transaction.createQueryBuilder().insert().into(KeyNetworkEntity).values(rows).orIgnore().execute(),
      );
    } catch (error) {
      logger.warn('key_networks_not_kept', { keys: keys.length, error });
    }
  }

  #remove(): void {
    this.#writing = this.#writing
      .then(() => this.#findLastDay())
      .then((lastDay) => this.#removeOld(lastDay - networksKeptDays))
      .catch((error: unknown) => this.parts.logger.warn('key_networks_not_removed', { error }));
  }

  /** The newest day before today that something is noted of: a clock that was set forward is believed only a day later. */
  async #findLastDay(): Promise<number> {
    const today = Math.floor(this.parts.clock.nowMs() / dayMs);
    const { reader } = this.parts.unitOfWork;
    return Number(await reader.maximum(KeyNetworkEntity, 'day', { day: LessThan(today) })) || 0;
  }

  async #removeOld(firstDay: number): Promise<void> {
    const { unitOfWork } = this.parts;
    for (;;) {
      const rows = await unitOfWork.reader.find(KeyNetworkEntity, {
        select: { day: true, keyId: true },
        where: { day: LessThan(firstDay) },
        order: { day: 'ASC' },
        take: removedAtOnce,
      });
      const [oldest] = rows;
      if (oldest === undefined) return;
      const { day } = oldest;
      const keyIds = [...new Set(rows.flatMap((row) => (row.day === day ? [row.keyId] : [])))];
      await unitOfWork.transactForServer((transaction) =>
        transaction.delete(KeyNetworkEntity, { day, keyId: In(keyIds) }),
      );
    }
  }
}

/** A network that a key was used from on a day. */
export interface KeyNetwork {
  /** The day as `2026-01-31`, in UTC. */
  readonly day: string;
  readonly keyId: string;
  /** A /24 of IPv4 or a /56 of IPv6. */
  readonly network: string;
}

/** All that are kept of an account, one day after the other: in one piece they could be more than fits into memory. */
export async function* listKeyNetworks(
  reader: EntityManager,
  clock: Clock,
  accountId: string,
): AsyncIterable<KeyNetwork> {
  const today = Math.floor(clock.nowMs() / dayMs);
  for (let day = today - networksKeptDays - 1; day <= today; day += 1) {
    const rows = await reader.find(KeyNetworkEntity, {
      where: { accountId, day },
      order: { keyId: 'ASC', number: 'ASC' },
    });
    const name = new Date(day * dayMs).toISOString().slice(0, 10);
    for (const { keyId, network } of rows) yield { day: name, keyId, network };
  }
}

// Of keys that still stand: those of a deleted account leave nothing behind.
async function listNewRows(reader: EntityManager, day: number, keys: readonly Waiting[]): Promise<KeyNetworkEntity[]> {
  const ids = In(keys.map(({ keyId }) => keyId));
  const standing = await reader.find(ApiKeyEntity, { select: { id: true }, where: { id: ids, revokedAtMs: IsNull() } });
  const known = await reader.find(KeyNetworkEntity, { where: { day, keyId: ids } });
  return keys.flatMap(({ keyId, accountId, networks }) => {
    if (!standing.some(({ id }) => id === keyId)) return [];
    const before = known.filter((row) => row.keyId === keyId);
    const fresh = [...networks].filter((network) => before.every((row) => row.network !== network));
    return fresh.slice(0, Math.max(0, networksOfKeyMax - before.length)).map((network, at) => {
      return { day, keyId, network, number: before.length + at + 1, accountId };
    });
  });
}
