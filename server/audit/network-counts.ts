import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { networkBlockOf } from '../kernel/addresses/network-address.js';
import { leastIdAt } from '../kernel/ids.js';
import { AccountEventEntity } from './account-event.entity.js';
import type { EventKind } from './event-kinds.js';

/** How often something happened from one network, and to how many accounts. */
export interface NetworkCount {
  /** A /24 of IPv4, a /56 of IPv6; empty: from no network, or from before it was written down. */
  readonly network: string;
  readonly events: number;
  readonly accounts: number;
  /** The newest of those accounts; at most 5. */
  readonly accountIds: readonly string[];
}

export interface NetworkCounts {
  /** The most events first; at most 50. */
  readonly networks: readonly NetworkCount[];
  /** Whether there were more events than the newest 10,000, which alone are counted. */
  readonly isSample: boolean;
}

const eventsLookedAtMax = 10_000;
const networksMax = 50;
const accountsShownMax = 5;
const nobody: ReadonlySet<string> = new Set();

/** Counts events of one kind by the network that they came from, of all accounts, out of the log that each account has of itself. */
export class NetworkCounter {
  constructor(private readonly unitOfWork: Pick<UnitOfWork, 'reader'>) {}

  /** @param leftOut Accounts whose events are not counted. */
  async count(kind: EventKind, sinceMs: number, leftOut: ReadonlySet<string> = nobody): Promise<NetworkCounts> {
    const { networks, isSample } = await this.#sum(kind, sinceMs, leftOut);
    const counts = [...networks].map(([network, { events, accountIds }]) => {
      return { network, events, accounts: accountIds.size, accountIds: [...accountIds].slice(0, accountsShownMax) };
    });
    counts.sort((one, other) => other.events - one.events);
    return { networks: counts.slice(0, networksMax), isSample };
  }

  /** The network from which this account and the most others did it; null: it did not, or from no network that is known. */
  async findOf(
    accountId: string,
    kind: EventKind,
    sinceMs: number,
  ): Promise<{ network: string; accounts: number } | null> {
    const { networks } = await this.#sum(kind, sinceMs, nobody);
    const own = [...networks].flatMap(([network, { accountIds }]) =>
      network !== '' && accountIds.has(accountId) ? [{ network, accounts: accountIds.size }] : [],
    );
    return own.sort((one, other) => other.accounts - one.accounts)[0] ?? null;
  }

  async #sum(kind: EventKind, sinceMs: number, leftOut: ReadonlySet<string>) {
    const query = this.unitOfWork.reader
      .getRepository(AccountEventEntity)
      .createQueryBuilder('event')
      .select('event.account_id', 'accountId')
      .addSelect('event.network', 'network')
      .where('event.kind = :kind AND event.id >= :from', {
        kind,
        from: leastIdAt('accountEvent', Math.max(0, sinceMs)),
      })
      .orderBy('event.id', 'DESC')
      .limit(eventsLookedAtMax);
    const rows = await queryByIndex(query, 'ix_account_event_kind');
    const networks = new Map<string, { events: number; accountIds: Set<string> }>();
    for (const row of rows) {
      if (leftOut.has(String(row.accountId))) continue;
      const network = row.network === null ? '' : blockOf(String(row.network));
      const found = networks.get(network) ?? { events: 0, accountIds: new Set<string>() };
      networks.set(network, found);
      found.events += 1;
      found.accountIds.add(String(row.accountId));
    }
    return { networks, isSample: rows.length >= eventsLookedAtMax };
  }
}

// What is on record is an IPv4 address, or a /56 already.
function blockOf(network: string): string {
  return network.includes('/') ? network : networkBlockOf(network);
}
