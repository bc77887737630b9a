import type { DatabaseAddress } from '../database/database-address.js';
import type { SqliteFilePlace } from '../database/sqlite-file-place.js';
import type { Logger } from '../kernel/logger.js';
import type { LeaseTimes } from './commits/decide-batch.js';
import type { LedgerStore } from './commits/ledger-store.js';
import { MysqlLedgerStore } from './commits/mysql-ledger-store.js';
import { SqliteLedgerStore } from './commits/sqlite-ledger-store.js';
import { timesOfCredits } from './leases/lease-times.js';
import type { LeaseOptions } from './leases/ledger-leases.js';
import { Ledger } from './ledger.js';
import { SettlementSpool } from './settlements/settlement-spool.js';

export interface LedgerOptions {
  readonly address: DatabaseAddress;
  /** Where settlements wait while the database is away; a folder on a local disk. */
  readonly spoolFolder: string;
  readonly logger: Logger;
  readonly instance: string;
  readonly times?: LeaseTimes;
  /** Left out: each call takes a hold. */
  readonly leases?: LeaseOptions | undefined;
  /** Of the SQLite file that the server has opened; left out: what lies there now. */
  readonly filePlace?: SqliteFilePlace | null;
  /** See `getDatabaseId`; null or left out: settlements that name a database are left alone, and it is not looked which one answers. */
  readonly databaseId?: string | null;
}

/** One batch is put together while the database commits the other; more make the batches smaller and gain nothing. */
const mysqlStores = 2;

const usualTimes: LeaseTimes = { leaseMs: 60_000, graceMs: 30_000 };

/** Opens the ledger's own connection to a database whose schema is up to date, and takes over settlements left on disk. */
export function openLedger({
  address,
  spoolFolder,
  logger,
  instance,
  times = usualTimes,
  leases,
  filePlace,
  databaseId = null,
}: LedgerOptions): Ledger {
  const stores: readonly LedgerStore[] =
    address.kind === 'sqlite'
      ? [new SqliteLedgerStore({ file: address.file, times, instance }, filePlace ?? undefined)]
      : Array.from({ length: mysqlStores }, () => new MysqlLedgerStore(address.url, times, { databaseId }));
  const asideStore =
    address.kind === 'sqlite'
      ? new SqliteLedgerStore({ file: address.file, times, instance }, filePlace ?? undefined)
      : new MysqlLedgerStore(address.url, times, { databaseId, waitsForWallets: false });
  const spool = new SettlementSpool(spoolFolder, instance, logger, {
    databaseId,
    // Settlements of a restored backup are booked before what they hold is ended: on SQLite, whoever began before us is gone.
    ...(address.kind === 'sqlite' && databaseId !== null ? { unlockedGraceMs: 0 } : {}),
  });
  const leasing = leases && { ...leases, leaseMs: timesOfCredits(times).leaseMs };
  return new Ledger({ stores, asideStore, spool, logger, instance, leases: leasing });
}
