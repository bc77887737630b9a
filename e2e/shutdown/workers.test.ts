import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import type { Customer } from '../crash/create-customer.js';
import { countOpenHolds, findBookFaults } from '../crash/find-book-faults.js';
import { makeCall, type SeenCall } from '../crash/make-call.js';

const limit = 60;

describeOnMysql('a server of two workers', (openTestDatabase) => {
  let address: DatabaseAddress;
  let site: CrashSite;
  const customer = (index: number): Customer => {
    const found = site.customers[index];
    if (found === undefined) throw new Error('nobody calls');
    return found;
  };
  const listPids = (event: string): number[] =>
    site.stack.log.filter((line) => line.event === event).map(({ pid }) => Number(pid));

  /** A call on a connection of its own, so that each goes to whichever worker comes next. */
  async function callAnew({ accountId, apiKey }: Customer, tokens = 1): Promise<SeenCall> {
    const agent = new Agent({ keepAlive: false });
    const wanted = {
      model: 'gpt-4o-mini',
      isStreamed: tokens > 1,
      tokens,
      delayMs: 100,
      leaveAfterBytes: null,
    } as const;
    const call = await makeCall({ baseUrl: site.stack.baseUrl, apiKey, agent }, wanted);
    site.seen.push({ accountId, call });
    return call;
  }

  /** Asks on a connection of its own, which ends with the answer. */
  async function askHealth(): Promise<{ readonly hasEnded: boolean }> {
    const { hostname, port } = new URL(site.stack.baseUrl);
    const seen = { hasEnded: false };
    const socket: Socket = connect(Number(port), hostname);
    socket
      .on('error', () => {})
      .on('close', () => {
        seen.hasEnded = true;
      });
    socket.resume();
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    return seen;
  }

  beforeAll(async () => {
    ({ address } = await openTestDatabase());
    const settings = { WORKERS: '2', REQUESTS_PER_MINUTE: String(limit), CONCURRENT_CALLS: '1000' };
    site = await CrashSite.open(address, { customers: 10, settings });
  }, 60_000);
  afterAll(() => site.close().catch(() => site.kill()));

  it('answers with both, and both together let an account make no more calls in a minute than one would', async () => {
    const beganMs = performance.now();
    const seen = await Promise.all(Array.from({ length: 200 }, () => callAnew(customer(0))));
    const minutes = Math.ceil((performance.now() - beganMs) / 60_000);
    const counts = new Map<string, number>();
    for (const { outcome, status } of seen) {
      const what = `${outcome} ${status}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
    // A machine that is too slow says so of a call (503), which may have been counted before; where all of it takes longer than a minute, the
    // first of them are counted no more. One line for all says what came instead.
    const told = JSON.stringify(Object.fromEntries(counts));
    const count = (what: string) => counts.get(what) ?? 0;
    const [whole, busy, beyond] = [count('whole 200'), count('refused 503'), count('refused 429')];
    const isInBounds = whole <= limit * minutes && whole + busy >= limit;
    expect([told, isInBounds, whole + busy + beyond]).toEqual([told, true, 200]);
    // Whichever of both is quicker may have let all of those in, and refused the rest with the other.
    const listAnswering = () => new Set(listPids('call_completed'));
    while (listAnswering().size < 2) await Promise.all([1, 1, 3, 3].map((index) => callAnew(customer(index))));
    expect(listAnswering()).toEqual(new Set(listPids('worker_listening')));
  }, 60_000);

  it('goes on answering while one that was killed is replaced, and then with both', async () => {
    const [killed, sibling] = listPids('worker_listening');
    process.kill(Number(killed), 'SIGKILL');
    await eventually(() => listPids('worker_died').includes(Number(killed)));
    // Several in turn, or the limit of one would be reached where starting takes long.
    let turn = 0;
    const callInTurn = () => callAnew(customer(2 + (turn++ % 8)));
    do {
      expect((await callInTurn()).outcome).toBe('whole');
    } while (listPids('worker_listening').length < 3);
    const replacing = listPids('worker_listening')[2];
    expect([killed, sibling]).not.toContain(replacing);
    while (!listPids('call_completed').includes(Number(replacing))) {
      expect((await callInTurn()).outcome).toBe('whole');
    }
  }, 60_000);

  it('leaves no connection open that was being handed to one as it was killed', async () => {
    const listening = listPids('worker_listening');
    const died = listPids('worker_died');
    const killed = Number(listening.findLast((pid) => !died.includes(pid)));
    process.kill(killed, 'SIGSTOP');
    // Each worker is handed one at a time, so that one of these is on its way to the worker that stands still, and stays there.
    const open = await Promise.all(Array.from({ length: 4 }, askHealth));
    await eventually(() => open.filter(({ hasEnded }) => hasEnded).length === 3, 20);
    process.kill(killed, 'SIGKILL');
    await eventually(() => open.every(({ hasEnded }) => hasEnded), 20);
    await eventually(() => listPids('worker_listening').length > listening.length, 20);
  }, 60_000);

  it('replaces one that is told to stop alone, once its calls have ended, and calls that no fault', async () => {
    const [told] = listPids('worker_listening').slice(-1);
    const [listening, died] = [listPids('worker_listening').length, listPids('worker_died').length];
    const streaming = Array.from({ length: 4 }, () => callAnew(customer(9), 20));
    await eventually(async () => (await countOpenHolds(address)) >= 4, 20);
    process.kill(Number(told), 'SIGTERM');
    await eventually(() => listPids('worker_listening').length !== listening, 20);
    expect((await Promise.all(streaming)).map(({ outcome }) => outcome)).toEqual(streaming.map(() => 'whole'));
    expect(listPids('worker_ended')).toEqual([told]);
    expect(listPids('worker_died')).toHaveLength(died);
  }, 60_000);

  it('lets the streams of both end whole and settled when it is told to stop, and ends with 0', async () => {
    // The lease of the worker that was killed above has its seconds; a server that runs ends it.
    await eventually(async () => (await countOpenHolds(address)) === 0, 100);
    const [completed, stopped] = [listPids('call_completed').length, listPids('worker_stopped').length];
    const streaming = Array.from({ length: 6 }, () => callAnew(customer(1), 20));
    await eventually(async () => (await countOpenHolds(address)) >= 6, 20);
    await site.stack.stop();
    const seen = await Promise.all(streaming);
    expect(seen.map(({ outcome }) => outcome)).toEqual(seen.map(() => 'whole'));
    expect(new Set(listPids('call_completed').slice(completed)).size).toBe(2);
    expect(listPids('worker_stopped')).toHaveLength(stopped + 2);
    expect(await countOpenHolds(address)).toBe(0);
    expect(await findBookFaults(address, site)).toEqual([]);
  }, 60_000);
});
