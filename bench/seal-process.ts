import { createDataSource, openDataSource } from '../server/database/data-source.js';
import { readDatabaseUrl } from '../server/database/database-address.js';
import { UnitOfWork } from '../server/database/unit-of-work.js';
import { entities, migrations } from '../server/entities.js';
import { systemClock } from '../server/kernel/clock.js';
import { silentLogger } from '../server/kernel/logger.js';
import { CallRetention } from '../server/ledger/receipts/call-retention.js';

// Seals until it is killed, or all is done.
const { database } = readDatabaseUrl(process.env.DATABASE_URL ?? '');
if (database === null) throw new Error('DATABASE_URL names no database.');
const unitOfWork = new UnitOfWork(await openDataSource(createDataSource(database, { entities, migrations })));
const findNeeded = () => Promise.resolve(new Set<string>());
const isOneWriter = database.kind === 'sqlite';
const parts = {
  isOneWriter,
  unitOfWork,
  clock: systemClock,
  logger: silentLogger,
  findDays: async () => 62,
  keep: null,
  findNeeded,
  findTime: async () => ({ nowMs: systemClock.nowMs(), provenMs: systemClock.nowMs() }),
};
await new CallRetention(parts).sealDue();
process.exit();
