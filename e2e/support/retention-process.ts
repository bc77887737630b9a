import 'reflect-metadata';
import { createDataSource } from '../../server/database/data-source.js';
import { parseDatabaseUrl } from '../../server/database/database-address.js';
import { UnitOfWork } from '../../server/database/unit-of-work.js';
import { entities, migrations } from '../../server/entities.js';
import { systemClock } from '../../server/kernel/clock.js';
import { silentLogger } from '../../server/kernel/logger.js';
import { CallRetention } from '../../server/ledger/receipts/call-retention.js';
import { openReceiptArchive } from '../../server/ledger/receipts/receipt-archive.js';

/*
 * What a server does with old receipts, as a process of its own that may be killed: removes all of them from the database of DATABASE_URL,
 * keeps each in a file of RETENTION_EXPORT_DIR before, and ends.
 */

const address = parseDatabaseUrl(String(process.env.DATABASE_URL));
const source = await createDataSource(address, { entities, migrations }).initialize();
const nowMs = systemClock.nowMs();
const retention = new CallRetention({
  unitOfWork: new UnitOfWork(source),
  clock: systemClock,
  findTime: async () => ({ nowMs, provenMs: nowMs }),
  logger: silentLogger,
  findDays: async () => 62,
  keep: openReceiptArchive(String(process.env.RETENTION_EXPORT_DIR)),
  isOneWriter: address.kind === 'sqlite',
  findNeeded: async () => new Set(),
});
console.log('begun');
console.log(`${await retention.sealDue()} removed`);
await source.destroy();
