import 'reflect-metadata';
import { loadConfig } from './config.js';
import { createDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { createLogger } from './kernel/logger.js';
import { openLedger } from './ledger/ledger.js';
import { openNotices } from './notices/open-notices.js';
import { openPurchases } from './purchases/open-purchases.js';
import { longestLookBackMs, type ReconcilerReport } from './purchases/purchase-reconciler.js';

/*
 * `npm run purchases:reconcile`: what Stripe has of the last thirty days against what we have, beside running servers or
 * without them. What was missed is posted, once. Exit status: 0 all agrees now, 1 something does not fit, 2 it could not look.
 */
try {
  const report = await reconcilePurchases();
  const { missedNotices, waitingPurchases, paidPurchases, differences, failures } = report;
  console.log(`Events that had never arrived, and are dealt with now: ${missedNotices}`);
  console.log(`Purchases that were waiting: ${waitingPurchases}, of which ${paidPurchases} turned out to be paid`);
  for (const difference of differences) console.log(`DOES NOT FIT  ${difference}`);
  if (failures > 0) console.log(`Could not be looked at now: ${failures}; the log says why`);
  process.exitCode = differences.length + failures > 0 ? 1 : 0;
} catch (error) {
  console.error('Purchases could not be reconciled.', error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function reconcilePurchases(): Promise<ReconcilerReport> {
  const config = loadConfig(process.env);
  if (config.stripe === null) throw new Error('Set STRIPE_SECRET_KEY: without it nothing is bought by Stripe.');
  const logger = createLogger(config.logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const { database: address, spoolFolder } = config;
  const source = await createDataSource(address, { entities, migrations }).initialize();
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  try {
    const parts = { unitOfWork: new UnitOfWork(source), ledger, clock: systemClock, logger };
    const { outbox } = openNotices(parts, config);
    // A running server sends what this puts into the outbox.
    const findEmail = async (accountId: string): Promise<string | null> => {
      const [account] = await source.query(
        'SELECT email FROM account WHERE id = ? AND email_verified_at_ms IS NOT NULL',
        [accountId],
      );
      return account?.email ?? null;
    };
    const { reconciler } = openPurchases({ ...parts, outbox, findEmail }, config);
    if (reconciler === null) throw new Error('There is nothing to reconcile.');
    return await reconciler.run(longestLookBackMs);
  } finally {
    await ledger.close();
    await source.destroy();
  }
}
