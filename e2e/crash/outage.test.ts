import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseAddress, readMysqlUrl } from '../../server/database/database-address.js';
import { Secret } from '../../server/kernel/secret.js';
import { readWaitingSettlements } from '../../server/ledger/settlements/waiting-settlements.js';
import { describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { TcpProxy } from '../../server/test/tcp-proxy.js';
import { stretched } from '../../server/test/wait-factor.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { findBookFaults } from './find-book-faults.js';
import type { SeenCall, WantedCall } from './make-call.js';
import { readHealth, waitUntilAtRest } from './wait-until-at-rest.js';

/** `npm run test:crash` takes a minute and 200 streams. On a slow machine all streams have begun only later, so it takes longer there. */
const outageMs = process.env.OUTAGE_SECONDS
  ? 1_000 * Number(process.env.OUTAGE_SECONDS)
  : Math.max(5_000, stretched(1_500));
const streams = Number(process.env.OUTAGE_STREAMS ?? 40);

const pieceEveryMs = outageMs / 40;
const recoveryMs = 60_000;

describeOnMysql('a database that goes away while streams run', (openTestDatabase) => {
  let network: TcpProxy;
  let address: DatabaseAddress;
  let site: CrashSite;
  beforeEach(async () => {
    address = (await openTestDatabase()).address;
    if (address.kind !== 'mysql') throw new Error('SQLite has no network to break.');
    const { host, port, user, password, database } = readMysqlUrl(address.url);
    network = await TcpProxy.start({ host, port });
    const url = new Secret(`mysql://${user}:${password}@127.0.0.1:${network.port}/${database}`);
    // The last customer calls only once it is dark, when the server does not remember the key.
    site = await CrashSite.open({ kind: 'mysql', url }, { customers: 5, settings: { HOLD_SWEEP_SECONDS: '1' } });
  });
  afterEach(async () => {
    await site?.close();
    await network?.close();
  });

  const remembered = () => site.customers[0] as Customer;
  const unknown = () => site.customers[4] as Customer;

  /** Starts streams that take from `shortest` to `longest` outages, and waits until the provider was asked for all. */
  async function startStreams(shortest: number, longest: number): Promise<Promise<SeenCall>[]> {
    const running = Array.from({ length: streams }, (_, index) => {
      const outages = shortest + ((longest - shortest) * index) / streams;
      const tokens = Math.ceil((outages * outageMs) / pieceEveryMs);
      return site.call(site.customers[index % 4] as Customer, stream(tokens));
    });
    const endedEarly = Promise.race(running).then((call) => {
      throw new Error(`A stream ended before all had begun: ${JSON.stringify(call)}`);
    });
    while ((await site.countAsked()) < streams) await Promise.race([sleep(20), endedEarly]);
    endedEarly.catch(() => {});
    return running;
  }

  it.each(['down', 'blackhole'] as const)(
    'ends every running stream well, turns new calls away that no lease covers, and books everything, after it was %s',
    async (fault) => {
      const running = await startStreams(0.3, 1.5);
      network.setFault(fault);
      const isOver = sleep(outageMs);
      const newCalls = await Promise.all([remembered(), unknown()].map((who) => site.call(who, stream(1))));
      await isOver;
      network.setFault('none');
      const seen = await Promise.all(running);

      const [ofRemembered, ofUnknown] = newCalls;
      expect(ofUnknown?.status).toBe(503);
      // Credits that the process has leased let a call in while the lease holds; it is booked with the others.
      if (ofRemembered?.status !== 503) expect(ofRemembered).toMatchObject({ status: 200, outcome: 'whole' });
      expect(seen.filter(({ outcome }) => outcome !== 'whole')).toEqual([]);
      expect(seen.filter(({ wasPriceTold }) => !wasPriceTold).length).toBeGreaterThan(0);
      await waitUntilAtRest(site, address);
      expect(await findBookFaults(address, site)).toEqual([]);
    },
    2 * outageMs + recoveryMs,
  );

  it(
    'books what ended while it was away also when the server is killed before it is back',
    async () => {
      const running = await startStreams(0.3, 0.9);
      network.setFault('down');
      const seen = await Promise.all(running);
      await site.kill();
      network.setFault('none');
      await site.start();

      expect(seen.map(({ outcome }) => outcome)).toEqual(seen.map(() => 'whole'));
      expect(seen.filter(({ wasPriceTold }) => !wasPriceTold).length).toBeGreaterThan(0);
      await waitUntilAtRest(site, address);
      expect(await findBookFaults(address, site)).toEqual([]);
    },
    2 * outageMs + recoveryMs,
  );

  it(
    'books what ended while it was away also when the spool was removed beneath the server before that was killed',
    async () => {
      const running = await startStreams(0.3, 0.9);
      network.setFault('down');
      await eventually(async () => Number((await readHealth(site)).body.settlements.kept) >= streams / 4, 20);
      rmSync(site.spoolFolder, { recursive: true });
      const seen = await Promise.all(running);
      // What waited is written anew within a second or so, which no kill is to come before.
      const countWritten = async () => (await readWaitingSettlements(site.spoolFolder)).kept.settlements;
      await eventually(
        async () => (await countWritten()) >= Number((await readHealth(site)).body.settlements.kept),
        50,
      );
      await site.kill();
      network.setFault('none');
      await site.start();

      expect(seen.map(({ outcome }) => outcome)).toEqual(seen.map(() => 'whole'));
      await waitUntilAtRest(site, address);
      expect(await findBookFaults(address, site)).toEqual([]);
    },
    2 * outageMs + recoveryMs,
  );
});

function stream(tokens: number): WantedCall {
  return { model: 'gpt-4o-mini', isStreamed: true, tokens, delayMs: pieceEveryMs, leaveAfterBytes: null };
}
