import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { Crowd } from './crowd.js';
import { countOpenHolds, findBookFaults } from './find-book-faults.js';
import type { WantedCall } from './make-call.js';
import { createRandom, seed } from './seeded-random.js';
import { waitUntilAtRest } from './wait-until-at-rest.js';

const streams = 40;
const customers = 4;
const withoutMs = 4_000;
// More than the breaker lets fail in a row.
const extraCalls = 16;
// Its calls are counted by their holds, so that each has one.
const settings = {
  CREDIT_LEASES: 'off',
  HOLD_LEASE_SECONDS: '1',
  HOLD_GRACE_SECONDS: '0',
  HOLD_SWEEP_SECONDS: '1',
};
const random = createRandom(seed);

const stream = (tokens: number): WantedCall => ({
  model: 'gpt-4o-mini',
  isStreamed: tokens % 2 === 0,
  tokens,
  delayMs: 60,
  leaveAfterBytes: null,
});

/** Only Linux changes the limits of a process that runs. */
function isPossible(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    console.warn('NOT RUN: this machine has no prlimit, so a server without file descriptors is not tried.');
    return false;
  }
}

function readDescriptorLimit(pid: number): number {
  const words = ['--pid', String(pid), '--nofile', '--output', 'SOFT', '--noheadings'];
  return Number(execFileSync('prlimit', words, { encoding: 'utf8' }));
}

/** How many files and connections the process may open; those that it has stay open. */
function limitDescriptors(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
}

describeOnEachDatabase(`a server that may open no more files, CRASH_SEED=${seed}`, (openTestDatabase) => {
  let site: CrashSite;
  let address: DatabaseAddress;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const extraAgent = new Agent({ keepAlive: true, maxSockets: extraCalls });
  beforeAll(async () => {
    address = (await openTestDatabase()).address;
    site = await CrashSite.open(address, { customers, settings });
  });
  afterAll(async () => {
    agent.destroy();
    extraAgent.destroy();
    await site?.close();
  });

  /** Asked on a connection of before, since no new one is taken; null: it was not answered. */
  const askHealth = (by = agent) =>
    new Promise<number | null>((resolve) => {
      const asked = request(`${site.stack.baseUrl}/healthz`, { agent: by }, (response: IncomingMessage) => {
        response.resume().on('close', () => resolve(response.statusCode ?? null));
      });
      asked.on('error', () => resolve(null)).end();
    });

  (isPossible() ? it : it.skip)(
    'lives, says so, and books once each answer that was seen whole when it may again',
    async () => {
      const { pid } = site.stack;
      const limitBefore = readDescriptorLimit(pid);
      // On a busy machine too, they run until the extra calls are answered.
      const running = Array.from({ length: streams }, (_, n) =>
        site.call(site.customers[n % customers] as Customer, stream(120 + (n % 30))),
      );
      const crowd = new Crowd(site, { callers: 8, seed: random(2 ** 31) });
      await eventually(async () => (await countOpenHolds(address)) >= streams, 20);
      expect(await askHealth()).toBe(200);
      const connected = await Promise.all(Array.from({ length: extraCalls }, () => askHealth(extraAgent)));
      expect(new Set(connected)).toEqual(new Set([200]));
      // Fewer than it has: none can be opened, also when some are closed meanwhile.
      limitDescriptors(pid, Math.floor(readdirSync(`/proc/${pid}/fd`).length / 2));
      // The provider's connections are taken, so that each of these wants another.
      const extra = await Promise.all(
        site.customers.flatMap((customer) =>
          Array.from({ length: extraCalls / customers }, () => site.call(customer, stream(2), extraAgent)),
        ),
      );
      const untilMs = performance.now() + withoutMs;
      const statuses = new Set<number | null>();
      while (performance.now() < untilMs) {
        statuses.add(await askHealth());
        await sleep(200);
      }
      const seen = await Promise.all(running);
      limitDescriptors(pid, limitBefore);
      await crowd.stop();
      await eventually(async () => (await askHealth()) === 200, 100);
      await waitUntilAtRest(site, address);
      // They were on their way, and nothing that they need is opened.
      expect(seen.filter(({ outcome }) => outcome !== 'whole')).toEqual([]);
      expect(statuses.has(503)).toBe(true);
      expect(extra.filter(({ status }) => status === 503).length).toBeGreaterThan(5);
      // The provider is not left alone for what was our own fault.
      for (const customer of site.customers) expect((await site.call(customer, stream(2))).outcome).toBe('whole');
      expect(await findBookFaults(address, site)).toEqual([]);
    },
    120_000,
  );
});
