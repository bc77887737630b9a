import { PriceVersions } from '../catalogue/price-versions.js';
import type { Config } from '../config/config.js';
import { keepToDatabase } from '../database/pool/keep-to-database.js';
import { SqliteFilePlace } from '../database/sqlite-file-place.js';
import { readDatabaseMs } from '../database/time/database-clock.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import type { KeyChanges } from '../keys/changes/key-changes.js';
import { tellOfWalletStates } from '../keys/changes/tell-of-wallet-states.js';
import { LedgerAuditor, type LedgerAuditorParts } from '../ledger/checks/ledger-auditor.js';
import { totalsInvariants } from '../ledger/checks/sums-invariants.js';
import { verifyInBackground } from '../ledger/checks/verify-in-background.js';
import type { Finding } from '../ledger/checks/verify-ledger.js';
import { JournalSummer } from '../ledger/journal/journal-summer.js';
import { watchKeys } from '../ledger/key-spend/key-watch.js';
import { HoldRenewer } from '../ledger/leases/hold-renewer.js';
import { HoldSweeper, sweepRulesFor } from '../ledger/leases/hold-sweeper.js';
import { createRecallReader } from '../ledger/leases/lease-renewer.js';
import { openLedger } from '../ledger/open-ledger.js';
import { TotalsSummer } from '../totals/totals-summer.js';
import { UsageSummer } from '../usage/sums/usage-summer.js';
import { startRetention } from './open-retention.js';
import { watchTime } from './watch-time.js';

const sumAgainEveryMs = 24 * 60 * 60 * 1_000;

/** The ledger, and who keeps it in order. */
export async function startLedger(config: Config, { unitOfWork, logger, clock, keyChanges }: LedgerParts) {
  const { database: address, spoolFolder, holdTimes, creditLeases } = config;
  const instance = createId('instance');
  const isAlone = address.kind === 'sqlite';
  const leasing = creditLeases
    ? { keyWatch: watchKeys(keyChanges.current), recalls: createRecallReader(unitOfWork, isAlone) }
    : undefined;
  const filePlace = openFilePlace(config, logger);
  const databaseId = await keepToDatabase(unitOfWork, logger);
  const opened = { address, spoolFolder, logger, instance, filePlace, databaseId };
  const ledger = openLedger({ ...opened, times: holdTimes, leases: leasing });
  await ledger.start();
  // A hold outlives several renewals that fail.
  const holds = new HoldRenewer(ledger, logger, holdTimes.leaseMs / 6);
  const sweepRules = sweepRulesFor(holdTimes, holdTimes.sweepMs, { isAlone, instance });
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger, sweepRules);
  sweeper.start(holdTimes.sweepMs);
  const verify: LedgerAuditorParts['verify'] = (scope, signal) => verifyInBackground(address, scope, signal);
  const books = tellOfWalletStates(ledger, { unitOfWork, keyChanges });
  const watch = await watchTime({ unitOfWork, clock, logger });
  const retention = startRetention(config, { unitOfWork, clock, logger, readTime: () => watch.readTime() });
  const findNowMs = () => readDatabaseMs(unitOfWork.reader, clock);
  const summer = new UsageSummer({ unitOfWork, clock, findNowMs, logger });
  summer.job.start();
  const prices = new PriceVersions({ unitOfWork, clock });
  const findPriceVersionAt = async (atMs: number) => (await prices.findInForce(atMs))?.number ?? 0;
  const totals = new TotalsSummer({ unitOfWork, clock, findNowMs, logger, findPriceVersionAt });
  totals.job.start();
  const auditor = new LedgerAuditor({ verify, ledger: books, clock, logger, onBroken: tellOfWrongTotals(totals) });
  auditor.start();
  const journal = new JournalSummer(unitOfWork, clock, { findNowMs, logger });
  journal.job.start();
  const keepers = {
    auditor,
    time: watch,
    retention: retention.job,
    usageSums: summer.job,
    totals: totals.job,
    journalSums: journal.job,
  };
  const jobs = {
    hold_sweep: sweeper,
    receipts: retention.job,
    usage_sets: summer.job,
    usage_totals: totals.job,
    journal_hours: journal.job,
  };
  const { findBelievedMs, readTime } = watch;
  const running = { instance, filePlace, findBelievedMs };
  return { running, ledger, books, holds, sweeper, auditor, time: { findBelievedMs, readTime }, jobs, keepers };
}

export interface LedgerParts {
  readonly unitOfWork: UnitOfWork;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly keyChanges: KeyChanges;
}

/**
 * Sums that are wrong are made anew, from the earliest that is known of. What they were made of is never touched; where that is
 * wrong, making them anew mends nothing, so it is done once a day for one earliest time.
 */
export function tellOfWrongTotals(totals: Pick<TotalsSummer, 'sumAgainFrom'>): (finding: Finding) => void {
  const toldMs = new Map<number, number>();
  return ({ sentence, rows }) => {
    if (!(sentence in totalsInvariants)) return;
    const fromMs = Math.min(...rows.map(({ hour_ms, month_ms }) => Number(hour_ms ?? month_ms ?? 0)));
    const lastMs = toldMs.get(fromMs) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - lastMs < sumAgainEveryMs) return;
    toldMs.set(fromMs, performance.now());
    totals.sumAgainFrom(fromMs);
  };
}

/** Where the SQLite file is that the server works on, with a line in the log when it is moved away; null: on MySQL. */
function openFilePlace({ database }: Config, logger: Logger): SqliteFilePlace | null {
  if (database.kind !== 'sqlite') return null;
  const { file } = database;
  const tell = (isInPlace: boolean) => {
    if (isInPlace) logger.info('database_file_back', { file });
    else logger.error('database_file_moved', { file });
  };
  return new SqliteFilePlace(file, { tell });
}
