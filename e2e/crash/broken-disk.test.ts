import { join } from 'node:path';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { eventually } from '../../server/test/eventually.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { stretched } from '../../server/test/wait-factor.js';
import { BreakableDisk, type DiskError } from './breakable-disk.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { Crowd } from './crowd.js';
import { countOpenHolds, findBookFaults, findLinesAbout } from './find-book-faults.js';
import type { WantedCall } from './make-call.js';
import { createRandom, seed } from './seeded-random.js';
import { readHealth, waitUntilAtRest } from './wait-until-at-rest.js';

const streams = 40;
const customers = 4;
// Its calls are counted by their holds, so that each has one.
const settings = {
  CREDIT_LEASES: 'off',
  HOLD_LEASE_SECONDS: '1',
  HOLD_GRACE_SECONDS: '0',
  HOLD_SWEEP_SECONDS: '1',
};
const random = createRandom(seed);
const describeOnDisk = BreakableDisk.isPossible() ? describe : describe.skip;

/** What of the server lies on the disk that breaks. */
type Victim = 'the database and the spool' | 'the database' | 'the spool';

const cases: readonly (readonly [DiskError, Victim])[] = [
  ['EROFS', 'the database and the spool'],
  ['EROFS', 'the database'],
  ['EROFS', 'the spool'],
  ['EIO', 'the database and the spool'],
  ['EIO', 'the database'],
  ['EIO', 'the spool'],
];

const stream = (tokens: number): WantedCall => ({
  model: 'gpt-4o-mini',
  isStreamed: tokens % 2 === 0,
  tokens,
  // All are to run at once, also where they begin slowly.
  delayMs: Math.max(60, stretched(25)),
  leaveAfterBytes: null,
});

describeOnDisk(`a disk that breaks under load, CRASH_SEED=${seed}`, () => {
  it.each(cases)(
    '%s of %s: takes no call without room and says so; what was seen whole is booked once when it is mended',
    async (error, victim) => {
      const disk = BreakableDisk.mount(error);
      const healthy = makeTestFolder('healthy');
      const folderOf = (part: Victim) => (victim.includes(part) ? disk.folder : healthy);
      const address: DatabaseAddress = { kind: 'sqlite', file: join(folderOf('the database'), 'tollgate.db') };
      const spool = join(folderOf('the spool'), 'spool');
      const site = await CrashSite.open(address, { customers, settings: { ...settings, SPOOL_DIR: spool } });
      try {
        await breakUnderLoad(site, address, disk);
        if (victim !== 'the spool') expect((await readHealth(site)).body.database).toBe('down');
        // Both may be back by themselves only when the disk is.
        const { log } = site.stack;
        await site.kill();
        disk.mend();
        await site.start();
        await eventually(async () => (await readHealth(site)).status === 200, 100);
        await waitUntilAtRest(site, address);
        expect((await readHealth(site)).body.settlements).toMatchObject({ quarantined: 0, damagedFiles: 0 });
        expect((await site.call(site.customers[0] as Customer, stream(2))).outcome).toBe('whole');
        const faults = await findBookFaults(address, site);
        const lines = findLinesAbout(faults, [...log, ...site.stack.log]);
        expect({ faults, lines }).toEqual({ faults: [], lines: [] });
      } finally {
        await site.close().finally(() => disk.close());
      }
    },
    120_000,
  );
});

async function breakUnderLoad(site: CrashSite, address: DatabaseAddress, disk: BreakableDisk): Promise<void> {
  const running = Array.from({ length: streams }, (_, n) =>
    site.call(site.customers[n % customers] as Customer, stream(20 + (n % 30))),
  );
  const crowd = new Crowd(site, { callers: 8, seed: random(2 ** 31) });
  await eventually(async () => (await countOpenHolds(address)) >= streams, 20);
  disk.break();
  await Promise.all(running);
  // It asks the disk every few seconds, also when no call comes.
  await eventually(async () => (await readHealth(site)).status === 503, 100);
  await crowd.stop();
  for (const customer of site.customers) expect((await site.call(customer, stream(2))).status).toBe(503);
}
