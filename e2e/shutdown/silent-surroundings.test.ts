import { createServer, type Socket } from 'node:net';
import { type DatabaseAddress, readMysqlUrl } from '../../server/database/database-address.js';
import { Secret } from '../../server/kernel/secret.js';
import { openLedgerSnapshot } from '../../server/ledger/checks/ledger-snapshot.js';
import { describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { listenLocally, portOf } from '../../server/test/local-server.js';
import { describeOnRedis, PrivateRedis } from '../../server/test/private-redis.js';
import { TcpProxy } from '../../server/test/tcp-proxy.js';
import { stretched } from '../../server/test/wait-factor.js';
import { CrashSite, startFakeProvider } from '../crash/crash-site.js';
import { askGraphql, type Customer } from '../crash/create-customer.js';
import { findBookFaults } from '../crash/find-book-faults.js';
import { waitUntilAtRest } from '../crash/wait-until-at-rest.js';

const streams = 200;
/** How long a silent provider is waited for. */
const idleMs = 4_000;
/** The bounds of all that is closed behind the calls. */
const closedWithinMs = stretched(17_000);

/** Takes every connection and every byte, and never says anything: a mail server, and Stripe. */
async function openSilence() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
  await listenLocally(server);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { place: `127.0.0.1:${portOf(server)}`, sockets, close };
}

const requestReset = 'mutation { requestPasswordReset(input: { email: "caller-0@example.com" }) }';

/** Somebody with credits, which a server that sends no mails gives at once. */
async function signUp(address: DatabaseAddress): Promise<Customer> {
  const site = await CrashSite.open(address, { customers: 1 });
  const [customer] = site.customers;
  await site.close();
  if (customer === undefined) throw new Error('nobody calls');
  return customer;
}

describeOnRedis('a server that is told to stop while all around it say nothing', () => {
  describeOnMysql('with 200 streams', (openTestDatabase) => {
    it('ends with 0 within 17 seconds of the last answer, and books what each stream has used', async () => {
      const { address } = await openTestDatabase();
      if (address.kind !== 'mysql') throw new Error('SQLite has no network to break.');
      const { host, port, user, password, database } = readMysqlUrl(address.url);
      const { upstream, baseUrl } = await startFakeProvider();
      const [redis, silence] = await Promise.all([PrivateRedis.start(), openSilence()]);
      const network = await TcpProxy.start({ host, port });
      const url = new Secret(`mysql://${user}:${password}@127.0.0.1:${network.port}/${database}`);
      const settings = {
        OPENAI_BASE_URL: baseUrl,
        UPSTREAM_IDLE_TIMEOUT_MS: String(idleMs),
        CONCURRENT_CALLS: '1000',
        HOLD_SWEEP_SECONDS: '1',
        REDIS_URL: redis.url.reveal(),
        SMTP_URL: `smtp://${silence.place}`,
        MAIL_FROM: 'tollgate@example.com',
        STRIPE_SECRET_KEY: 'sk_test_1234567890abcdef',
        STRIPE_WEBHOOK_SECRET: 'whsec_1234567890abcdef12345678',
        STRIPE_API_BASE: `http://${silence.place}`,
      };
      const customer = await signUp(address);
      const site = await CrashSite.open({ kind: 'mysql', url }, { customers: 0, settings });
      site.customers.push(customer);
      try {
        const wanted = { model: 'gpt-4o-mini', isStreamed: true, leaveAfterBytes: null, tokens: 1_000 } as const;
        const calling = Array.from({ length: streams }, () => site.call(customer, { ...wanted, delayMs: 1_000 }));
        await eventually(async () => (await site.countAsked()) + site.seen.length >= streams, 250);
        const asked = await site.countAsked();
        expect(asked).toBeGreaterThan(streams / 2);
        // A machine that is very busy has refused some. A mail is on its way.
        await askGraphql(site.stack.baseUrl, requestReset, {});
        await eventually(() => silence.sockets.size > 0, 60);
        const { stack } = site;
        redis.freeze();
        network.setFault('blackhole');
        upstream.kill('SIGSTOP');
        process.kill(stack.pid, 'SIGTERM');
        await Promise.all(calling);
        const calledMs = performance.now();
        expect(await stack.ended).toBe(0);
        const tookMs = performance.now() - calledMs;
        expect(tookMs).toBeLessThan(closedWithinMs);

        redis.thaw();
        network.setFault('none');
        await site.start();
        await waitUntilAtRest(site, address);
        expect(await findBookFaults(address, site)).toEqual([]);
        const snapshot = await openLedgerSnapshot(address);
        const [row] = await snapshot.query('SELECT COUNT(*) AS n FROM call_record');
        await snapshot.close();
        expect(Number(row?.n)).toBe(asked);
      } finally {
        await site.kill().catch(() => {});
        await site.close();
        upstream.kill('SIGKILL');
        silence.close();
        await network.close();
        await redis.kill();
      }
    }, 100_000);
  });
});
