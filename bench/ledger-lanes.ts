import type { DatabaseAddress } from '../server/database/database-address.js';
import { createId } from '../server/kernel/ids.js';
import { silentLogger } from '../server/kernel/logger.js';
import { toMillicredits } from '../server/kernel/millicredits.js';
import type { LedgerStore } from '../server/ledger/commits/ledger-store.js';
import { MysqlLedgerStore } from '../server/ledger/commits/mysql-ledger-store.js';
import { SqliteLedgerStore } from '../server/ledger/commits/sqlite-ledger-store.js';
import { Ledger } from '../server/ledger/ledger.js';
import { SettlementSpool } from '../server/ledger/settlements/settlement-spool.js';
import { endingWith, factsAt } from '../server/test/ledger-fixture.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };
const heldEach = toMillicredits(1_000);

/** Who calls: an account and its key. */
export interface Payer {
  readonly accountId: string;
  readonly keyId: string;
}

/** One or more connections that commit for a process; each commits one transaction at a time. */
export class LedgerLanes {
  private constructor(private readonly ledgers: readonly Ledger[]) {}

  /** @param isBatched false: one transaction for each operation, by the same code. */
  static open(
    address: DatabaseAddress,
    spoolFolder: string,
    { lanes, isBatched }: { lanes: number; isBatched: boolean },
  ): LedgerLanes {
    const ledgers = Array.from({ length: lanes }, () => {
      // As the server does: two stores on MySQL, with the accounts divided among them.
      const stores = isBatched ? openStores(address) : [oneByOne(openStore(address))];
      const instance = createId('instance');
      const spool = new SettlementSpool(spoolFolder, instance, silentLogger);
      return new Ledger({ stores, asideStore: openStore(address), spool, logger: silentLogger, instance });
    });
    return new LedgerLanes(ledgers);
  }

  /** Places a hold and settles it, both durable. @returns how long the hold took, in milliseconds, from `sinceMs` on. */
  async call(caller: number, payer: Payer, sinceMs: number): Promise<number> {
    const ledger = this.ledgers[caller % this.ledgers.length] as Ledger;
    const callId = createId('call');
    const hold = await ledger.placeHold({
      callId,
      ...payer,
      facts: factsAt(1),
      amountMillicredits: heldEach,
      acceptFromMillicredits: heldEach,
    });
    const holdMs = performance.now() - sinceMs;
    const settled = await ledger.settleHold({ callId, accountId: payer.accountId, ending: endingWith(100, 50) });
    if (hold.status !== 'held' || settled.status !== 'settled') throw new Error(`${hold.status}, ${settled.status}`);
    return holdMs;
  }

  async close(): Promise<void> {
    await Promise.all(this.ledgers.map((ledger) => ledger.close()));
  }
}

function openStores(address: DatabaseAddress): LedgerStore[] {
  return Array.from({ length: address.kind === 'sqlite' ? 1 : 2 }, () => openStore(address));
}

function openStore(address: DatabaseAddress): LedgerStore {
  if (address.kind === 'sqlite') return new SqliteLedgerStore({ file: address.file, times });
  return new MysqlLedgerStore(address.url, times);
}

function oneByOne(store: LedgerStore): LedgerStore {
  return {
    operationsPerBatchMax: 1,
    commitBatch: (operations) => store.commitBatch(operations),
    close: () => store.close(),
  };
}
