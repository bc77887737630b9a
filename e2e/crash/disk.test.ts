import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { stretched } from '../../server/test/wait-factor.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { Crowd } from './crowd.js';
import { countOpenHolds, findBookFaults } from './find-book-faults.js';
import type { WantedCall } from './make-call.js';
import { createRandom, seed } from './seeded-random.js';
import { SmallDisk } from './small-disk.js';
import { readHealth, waitUntilAtRest } from './wait-until-at-rest.js';

/** `npm run test:crash` asks for more. */
const cycles = Number(process.env.DISK_CYCLES ?? 2);
const diskMegabytes = 24;
const streams = 60;
// Its calls are counted by their holds, so that each has one.
const settings = { CREDIT_LEASES: 'off', HOLD_SWEEP_SECONDS: '1' };
const customers = 4;

const random = createRandom(seed);
const isPossible = SmallDisk.isPossible();
const describeOnDisk = isPossible ? describe : describe.skip;

const stream = (tokens: number): WantedCall => ({
  model: 'gpt-4o-mini',
  isStreamed: tokens % 2 === 0,
  tokens,
  // All are to run at once, also where they begin slowly.
  delayMs: Math.max(50, stretched(25)),
  leaveAfterBytes: null,
});

async function recover(site: CrashSite, address: DatabaseAddress): Promise<void> {
  await eventually(async () => (await readHealth(site)).status === 200, 100);
  await waitUntilAtRest(site, address);
}

describeOnDisk(`a disk that fills up under load, with the database and the spool on it, CRASH_SEED=${seed}`, () => {
  let disk: SmallDisk;
  let site: CrashSite;
  let address: DatabaseAddress;
  beforeAll(async () => {
    disk = SmallDisk.mount(diskMegabytes);
    address = { kind: 'sqlite', file: join(disk.folder, 'tollgate.db') };
    const spool = join(disk.folder, 'spool');
    site = await CrashSite.open(address, { customers, settings: { ...settings, SPOOL_DIR: spool } });
  });
  afterAll(async () => {
    await site?.close();
    disk?.close();
  });

  it(
    'books each answer that was seen whole once there is room again, also when it is killed before',
    async () => {
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const running = Array.from({ length: streams }, (_, n) =>
          site.call(site.customers[n % customers] as Customer, stream(20 + (n % 20))),
        );
        const crowd = new Crowd(site, { callers: 8, seed: random(2 ** 31) });
        await eventually(async () => (await countOpenHolds(address)) >= streams, 20);
        disk.fill();
        const seen = await Promise.all(running);
        const turnedAway = await site.call(site.customers[0] as Customer, stream(2));
        await crowd.stop();
        expect(seen.filter(({ outcome }) => outcome !== 'whole')).toEqual([]);
        expect(turnedAway.status).toBe(503);
        expect(Number((await readHealth(site)).body.settlements.kept)).toBeGreaterThan(0);
        const isKilled = cycle % 2 === 1;
        if (isKilled) await site.kill();
        disk.makeRoom();
        if (isKilled) await site.start();
        await recover(site, address);
        expect(await findBookFaults(address, site)).toEqual([]);
      }
    },
    cycles * 60_000,
  );
});

describeOnMysql('a disk of the spool that is read-only when the server starts', (openTestDatabase) => {
  (isPossible ? it : it.skip)(
    'takes no call and says why, and takes calls as soon as it can be written to',
    async () => {
      const disk = SmallDisk.mount(diskMegabytes);
      const { address } = await openTestDatabase();
      const spool = join(disk.folder, 'spool');
      mkdirSync(spool);
      const site = await CrashSite.open(address, { customers: 1, settings: { ...settings, SPOOL_DIR: spool } });
      try {
        const customer = site.customers[0] as Customer;
        expect((await site.call(customer, stream(2))).outcome).toBe('whole');
        await site.stack.stop();
        disk.setReadOnly(true);
        await site.start();
        const { status, body } = await readHealth(site);
        expect([status, body.settlements.room]).toEqual([503, 'missing']);
        expect(body.settlements.roomMissingFor).toMatch(/EROFS|CANTOPEN|READONLY/);
        expect((await site.call(customer, stream(2))).status).toBe(503);
        disk.setReadOnly(false);
        await recover(site, address);
        expect((await site.call(customer, stream(2))).outcome).toBe('whole');
        expect(await findBookFaults(address, site)).toEqual([]);
      } finally {
        await site.close();
        disk.close();
      }
    },
    90_000,
  );
});
