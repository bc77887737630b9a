import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeOnEachDatabase, openSqliteDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { countOpenHolds, findBookFaults } from './find-book-faults.js';
import type { SeenCall, WantedCall } from './make-call.js';
import { waitUntilAtRest } from './wait-until-at-rest.js';

/*
 * Counters of answers are in memory. Across a crash the record is on disk: a call's hold before its request goes out, and its
 * settlement, booked or kept, before its last byte leaves. So the moment to kill the server is the one in which that byte arrives.
 */
const rounds = 3;
const customers = 4;
const settings = { HOLD_LEASE_SECONDS: '1', HOLD_GRACE_SECONDS: '0', HOLD_SWEEP_SECONDS: '1' };

const wanted = (n: number): WantedCall => ({
  model: 'gpt-4o-mini',
  isStreamed: n % 2 === 0,
  tokens: 10 + n,
  delayMs: 20,
  leaveAfterBytes: null,
});

/** Resolves with what all saw, once the server is dead: killed as soon as the first of them has its last byte. */
async function killAtLastByte(site: CrashSite, calls: readonly Promise<SeenCall>[]): Promise<SeenCall[]> {
  const first = Promise.any(
    calls.map(async (call) => {
      if ((await call).outcome !== 'whole') throw new Error('It was not answered whole.');
    }),
  );
  await first;
  await site.kill();
  return Promise.all(calls);
}

const callAll = (site: CrashSite) =>
  Array.from({ length: 24 }, (_, n) => site.call(site.customers[n % customers] as Customer, wanted(n)));

async function restart(site: CrashSite, address: DatabaseAddress): Promise<void> {
  await site.start();
  await waitUntilAtRest(site, address);
}

describeOnEachDatabase('a server that is killed as the last byte of an answer arrives', (openTestDatabase) => {
  it(
    'has booked that answer, once',
    async () => {
      const { address } = await openTestDatabase();
      const site = await CrashSite.open(address, { customers, settings });
      try {
        for (let round = 0; round < rounds; round += 1) {
          const seen = await killAtLastByte(site, callAll(site));
          expect(seen.some(({ outcome }) => outcome === 'whole')).toBe(true);
          await restart(site, address);
          expect(await findBookFaults(address, site)).toEqual([]);
        }
      } finally {
        await site.close();
      }
    },
    rounds * 60_000,
  );
});

describe('a server whose database takes nothing, killed as the last byte of an answer arrives', () => {
  it('has kept that answer on disk, and books it once when it is started again', async () => {
    const { address, drop } = await openSqliteDatabase();
    if (address.kind !== 'sqlite') throw new Error('This is for SQLite.');
    const site = await CrashSite.open(address, { customers, settings });
    const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
    const other = new Database(address.file);
    try {
      const calls = Array.from({ length: 8 }, (_, n) =>
        site.call(site.customers[n % customers] as Customer, { ...wanted(n), tokens: 200 + n, delayMs: 40 }),
      );
      await eventually(async () => (await countOpenHolds(address)) >= calls.length, 20);
      // Somebody who writes for as long as he likes.
      other.exec('BEGIN IMMEDIATE');
      const seen = await killAtLastByte(site, calls);
      expect(seen.filter(({ outcome, wasPriceTold }) => outcome === 'whole' && wasPriceTold)).toEqual([]);
      other.exec('ROLLBACK');
      await restart(site, address);
      expect(await findBookFaults(address, site)).toEqual([]);
    } finally {
      other.close();
      await site.close();
      await drop();
    }
  }, 120_000);
});
