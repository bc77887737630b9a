import { connect, type Socket } from 'node:net';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import { countOpenHolds, findBookFaults } from '../crash/find-book-faults.js';

const streams = 60;
const plainCalls = 20;

describeOnEachDatabase('a server that is told to stop', (openTestDatabase) => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('takes no new call, lets every running one end whole and settled, and ends with 0 although connections are idle', async () => {
    const { address } = await openTestDatabase();
    // Its calls are counted by their holds, so that each has one.
    const settings = { CONCURRENT_CALLS: '1000', CREDIT_LEASES: 'off' };
    const site = await CrashSite.open(address, { customers: 3, settings });
    try {
      const { stack } = site;
      for (let count = 0; count < 20; count += 1) sockets.push(await openSocket(stack.baseUrl));
      const common = { model: 'gpt-4o-mini', leaveAfterBytes: null } as const;
      const calling = Array.from({ length: streams + plainCalls }, (_, index) => {
        const customer = site.customers[index % site.customers.length];
        if (customer === undefined) throw new Error('nobody calls');
        const isStreamed = index < streams;
        return site.call(customer, { ...common, isStreamed, tokens: 60, delayMs: 100 });
      });
      await eventually(async () => (await countOpenHolds(address)) >= streams + plainCalls, 20);
      const stopping = stack.stop();
      await eventually(async () => !(await canConnect(stack.baseUrl)));

      const seen = await Promise.all(calling);
      expect(seen.filter(({ outcome }) => outcome === 'whole')).toHaveLength(streams + plainCalls);
      await stopping;
      expect(await countOpenHolds(address)).toBe(0);
      expect(await findBookFaults(address, site)).toEqual([]);
    } finally {
      await site.close().catch(() => site.kill());
    }
  }, 120_000);

  it('says first that it is not ready, takes calls until its load balancer has heard, and says all the while that it lives', async () => {
    const { address } = await openTestDatabase();
    const site = await CrashSite.open(address, { customers: 1, settings: { DRAIN_DELAY_SECONDS: '3' } });
    try {
      const { stack } = site;
      const [customer] = site.customers;
      if (customer === undefined) throw new Error('nobody calls');
      const ask = async (path: string) => (await fetch(`${stack.baseUrl}${path}`)).status;
      expect([await ask('/readyz'), await ask('/livez'), await ask('/healthz')]).toEqual([200, 200, 200]);
      expect((await fetch(`${stack.baseUrl}/livez`)).headers.get('connection')).toBe('keep-alive');
      const stopping = stack.stop();
      await eventually(async () => (await ask('/readyz')) !== 200);
      expect([await ask('/livez'), await ask('/healthz')]).toEqual([200, 200]);
      // So that who keeps connections open makes the next call elsewhere.
      expect((await fetch(`${stack.baseUrl}/livez`)).headers.get('connection')).toBe('close');
      const common = { model: 'gpt-4o-mini', leaveAfterBytes: null } as const;
      const seen = await site.call(customer, { ...common, isStreamed: true, tokens: 5, delayMs: 1 });
      expect(seen.outcome).toBe('whole');
      await stopping;
      expect(await canConnect(stack.baseUrl)).toBe(false);
      expect(await findBookFaults(address, site)).toEqual([]);
    } finally {
      await site.close().catch(() => site.kill());
    }
  }, 120_000);
});

function openSocket(baseUrl: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(baseUrl);
    const socket = connect(Number(port), hostname, () => resolve(socket)).once('error', reject);
    socket.on('error', () => {});
  });
}

async function canConnect(baseUrl: string): Promise<boolean> {
  try {
    (await openSocket(baseUrl)).destroy();
    return true;
  } catch {
    return false;
  }
}
