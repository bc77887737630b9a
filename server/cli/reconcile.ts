import 'reflect-metadata';
import { openProgramPurchases } from '../composition/operators/open-program-purchases.js';
import { openTime } from '../composition/watch-time.js';
import { createDataSource } from '../database/data-source.js';
import { keepToDatabase } from '../database/pool/keep-to-database.js';
import { commandWaits } from '../database/pool/mysql-pool.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { systemClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { createLogger } from '../kernel/logger.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { assertLedgerThere } from '../ledger/checks/assert-ledger-there.js';
import { openLedger } from '../ledger/open-ledger.js';
import { longestLookBackMs, type ReconcilerReport } from '../purchases/purchase-reconciler.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';
import { workThenClose } from './work-then-close.js';

/*
 * `npm run purchases:reconcile`: what Stripe has of the last thirty days against what we have, beside running servers or
 * without them. What was missed is posted, once. Exit status: 0 all agrees now, 1 something does not fit, 2 it could not look.
 */
const program = {
  usage: 'Usage: npm run purchases:reconcile (without options; the settings say which database and which Stripe)',
  failure: 'Purchases could not be reconciled.',
  exitCodes: { usage: 2, failed: 2 },
};

await runOperatorProgram(program, async () => {
  const [word] = readWords(process.argv.slice(2)).positionals;
  if (word !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(word)}.`);
  const { missedNotices, waitingPurchases, paidPurchases, differences, failures } = await reconcilePurchases();
  console.log(`Events that had never arrived, and are booked now: ${missedNotices}`);
  console.log(`Purchases that were waiting: ${waitingPurchases}, of which ${paidPurchases} turned out to be paid`);
  for (const difference of differences) console.log(`DOES NOT FIT  ${difference}`);
  if (failures > 0) console.log(`Could not be compared now: ${failures}; the log says why`);
  return differences.length + failures > 0 ? 1 : 0;
});

async function reconcilePurchases(): Promise<ReconcilerReport> {
  const config = loadProgramConfig(process.env, { isSpoolUsed: true });
  if (config.stripe === null) throw new PlainFailure('Set STRIPE_SECRET_KEY: without it nothing is bought by Stripe.');
  const logger = createLogger(config.logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const { database: address, spoolFolder } = config;
  const source = await createDataSource(address, { entities, migrations, waits: commandWaits }).initialize();
  let close = () => source.destroy();
  const run = async () => {
    await assertLedgerThere(source);
    const unitOfWork = new UnitOfWork(source);
    const databaseId = await keepToDatabase(unitOfWork, logger);
    const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance'), databaseId });
    close = async () => {
      await ledger.close();
      await source.destroy();
    };
    const clock = systemClock;
    const { readTime } = openTime({ unitOfWork, clock });
    const { reconciler } = openProgramPurchases({ unitOfWork, ledger, clock, logger, readTime }, config);
    if (reconciler === null) throw new Error('There is nothing to reconcile.');
    return reconciler.run(longestLookBackMs);
  };
  return workThenClose(run, () => close());
}
