import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeOnEachDatabase, describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from './crash-site.js';
import { Crowd } from './crowd.js';
import { countLeasedCalls, findBookFaults } from './find-book-faults.js';
import { RestartableMariadb } from './restartable-mariadb.js';
import { createRandom, seed } from './seeded-random.js';
import { waitUntilAtRest } from './wait-until-at-rest.js';

/** `npm run test:crash` asks for many more. */
const cycles = Number(process.env.CRASH_CYCLES ?? 3);
const databaseCycles = Number(process.env.CRASH_DATABASE_CYCLES ?? 1);

const callers = 32;
const wholeAnswersPerCycle = 30;
/** Small, so that what a dead server held comes back while one waits for it. */
const settings = { HOLD_LEASE_SECONDS: '1', HOLD_GRACE_SECONDS: '0', HOLD_SWEEP_SECONDS: '1' };
const customers = 6;
const secondsPerCycle = 60;

const random = createRandom(seed);

/** Calls until some answers were seen whole, and then goes on until `crash` kills whatever it kills. */
async function callUntilCrash(site: CrashSite, crash: () => Promise<unknown>): Promise<void> {
  const wholeBefore = countWhole(site);
  const crowd = new Crowd(site, { callers, seed: random(2 ** 31) });
  await eventually(() => countWhole(site) >= wholeBefore + wholeAnswersPerCycle);
  await sleep(random(600));
  const stopped = crowd.stop();
  await crash();
  await stopped;
}

const countWhole = (site: CrashSite) => site.seen.filter(({ call }) => call.outcome === 'whole').length;
const countPart = (site: CrashSite) => site.seen.filter(({ call }) => call.outcome === 'part').length;

describeOnEachDatabase(`a server that is killed under load, CRASH_SEED=${seed}`, (openTestDatabase) => {
  let site: CrashSite;
  let address: DatabaseAddress;
  beforeAll(async () => {
    address = (await openTestDatabase()).address;
    site = await CrashSite.open(address, { customers, settings });
  });
  afterAll(() => site?.close());

  it(
    `books each answer that was seen whole once, and holds nothing in the end, ${cycles} times`,
    async () => {
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        await callUntilCrash(site, () => site.kill());
        await site.start();
        await waitUntilAtRest(site, address);
        expect(await findBookFaults(address, site)).toEqual([]);
      }
      expect(countWhole(site)).toBeGreaterThanOrEqual(cycles * wholeAnswersPerCycle);
      expect(countPart(site)).toBeGreaterThan(0);
      expect(await countLeasedCalls(address)).toBeGreaterThan(0);
    },
    cycles * secondsPerCycle * 1_000,
  );
});

describeOnMysql(`a server that is killed together with its database, CRASH_SEED=${seed}`, () => {
  let mariadb: RestartableMariadb;
  let site: CrashSite;
  let address: DatabaseAddress;
  beforeAll(async () => {
    mariadb = await RestartableMariadb.start();
    address = await mariadb.createDatabase('tollgate');
    site = await CrashSite.open(address, { customers, settings });
  }, 60_000);
  afterAll(async () => {
    await site?.close();
    await mariadb?.close();
  });

  it(
    `books each answer that was seen whole once, and holds nothing in the end, ${databaseCycles} times`,
    async () => {
      for (let cycle = 0; cycle < databaseCycles; cycle += 1) {
        await callUntilCrash(site, async () => {
          // Which goes first, and by how much, is left to chance.
          const kills = random(2) === 0 ? [mariadb, site] : [site, mariadb];
          await kills[0]?.kill();
          await sleep(random(30));
          await kills[1]?.kill();
        });
        await mariadb.startAgain();
        await site.start();
        await waitUntilAtRest(site, address);
        expect(await findBookFaults(address, site)).toEqual([]);
      }
      expect(countWhole(site)).toBeGreaterThanOrEqual(databaseCycles * wholeAnswersPerCycle);
      expect(countPart(site)).toBeGreaterThan(0);
    },
    databaseCycles * secondsPerCycle * 1_000,
  );
});
