import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { KeyNetworkEntity } from './key-network.entity.js';
import { dayMs } from './key-networks.js';

/** A key that was used from many networks in a day. */
export interface WidelyUsedKey {
  readonly keyId: string;
  readonly accountId: string;
  /** The day as `2026-01-31`, in UTC. */
  readonly day: string;
  /** A /24 of IPv4 or a /56 of IPv6 each; 50: so many or more. */
  readonly networks: number;
}

const networksMin = 5;
const rowsOfDayMax = 2_000;
const keysMax = 50;
const nobody: ReadonlySet<string> = new Set();

/** Finds keys that were used from five networks or more in a day. */
export class WidelyUsedKeys {
  constructor(
    private readonly unitOfWork: Pick<UnitOfWork, 'reader'>,
    private readonly clock: Clock,
  ) {}

  /** Of the days from `sinceMs` on, at most 30: the 50 with the most networks, those first. @param leftOut Accounts that are not told of. */
  async find(sinceMs: number, leftOut: ReadonlySet<string> = nobody): Promise<readonly WidelyUsedKey[]> {
    const found = await this.#findAll(sinceMs);
    return found.filter(({ accountId }) => !leftOut.has(accountId)).slice(0, keysMax);
  }

  /** The one with the most networks of an account; null: it has none. */
  async findOf(accountId: string, sinceMs: number): Promise<WidelyUsedKey | null> {
    return (await this.#findAll(sinceMs)).find((key) => key.accountId === accountId) ?? null;
  }

  async #findAll(sinceMs: number): Promise<readonly WidelyUsedKey[]> {
    const today = Math.floor(this.clock.nowMs() / dayMs);
    const found: WidelyUsedKey[] = [];
    for (let day = Math.max(Math.floor(sinceMs / dayMs), today - 29); day <= today; day += 1)
      found.push(...(await this.#findOfDay(day)));
    return found.sort((one, other) => other.networks - one.networks);
  }

  // A key's last network has its highest number, so the first row of a key is all that is needed of it.
  async #findOfDay(day: number): Promise<readonly WidelyUsedKey[]> {
    const query = this.unitOfWork.reader
      .getRepository(KeyNetworkEntity)
      .createQueryBuilder('n')
      .select('n.keyId', 'keyId')
      .addSelect('n.accountId', 'accountId')
      .addSelect('n.number', 'number')
      .where('n.day = :day AND n.number >= :least', { day, least: networksMin })
      .orderBy('n.number', 'DESC')
      .limit(rowsOfDayMax);
    const keys = new Map<string, WidelyUsedKey>();
    for (const { keyId, accountId, number } of await queryByIndex(query, 'ix_key_network_number')) {
      const name = String(keyId);
      if (keys.has(name)) continue;
      const written = new Date(day * dayMs).toISOString().slice(0, 10);
      keys.set(name, { keyId: name, accountId: String(accountId), day: written, networks: Number(number) });
    }
    return [...keys.values()];
  }
}
