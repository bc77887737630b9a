import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createLogger, silentLogger } from '../../kernel/logger.js';
import { Secret } from '../../kernel/secret.js';
import { RedisConnection } from '../../redis/redis-connection.js';
import { eventually } from '../../test/eventually.js';
import { describeOnRedis } from '../../test/private-redis.js';
import { ClusterFleet, SentinelFleet, tlsWords } from '../../test/redis-fleet.js';
import { RedisProcess } from '../../test/redis-process.js';
import { TestAuthority } from '../../test/test-authority.js';
import { MemorySlidingWindow, type RequestToEnter, type SlidingWindow } from '../sliding-window.js';
import { FallbackSlidingWindow } from './fallback-sliding-window.js';
import { RedisSlidingWindow } from './redis-sliding-window.js';

/** On a starved machine an answer takes longer than a caller would wait. */
const timeoutMs = 20_000;
const password = 'p@ss:w/rd';
const encoded = encodeURIComponent(password);

let requestCount = 0;
const enter = async (window: SlidingWindow, accountId: string, limit = 60) => {
  requestCount += 1;
  return window.enter({ accountId, requestId: `call_${requestCount}`, limit });
};

/** A window and what it has told its operator. */
function openWindow(url: string, ownTimeoutMs = timeoutMs) {
  const lines: string[] = [];
  const logger = createLogger('info', { destination: { write: (line: string) => lines.push(line) } });
  const connection = new RedisConnection(new Secret(url), logger, ownTimeoutMs);
  const requests = new RedisSlidingWindow(connection);
  const window = {
    connect: () => connection.connect(),
    enter: (request: RequestToEnter) => requests.enter(request),
    close: async () => connection.close(),
  };
  return { window, lines };
}

async function countEntered(windows: readonly SlidingWindow[], accountId: string): Promise<number> {
  const asked = Array.from({ length: 100 }, (_, index) =>
    enter(windows[index % windows.length] as SlidingWindow, accountId),
  );
  return (await Promise.all(asked)).filter(({ isEntered }) => isEntered).length;
}

/** Each Sentinel tells of the new master by itself, and each time the connection is made anew, which may end a request. */
async function countOnceCalm(windows: readonly SlidingWindow[]): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await countEntered(windows, `after-${attempt}`);
    } catch {
      await sleep(200);
    }
  }
}

describeOnRedis('The shared window of requests by TLS', () => {
  let authority: TestAuthority;
  let server: RedisProcess;
  let foreign: RedisProcess;
  let clientFiles: string;
  beforeAll(async () => {
    authority = new TestAuthority();
    const client = authority.issue('client', 'DNS:client');
    clientFiles = `ssl-cert=${client.cert}&ssl-key=${client.key}`;
    const acl = ['--user', 'app', 'on', `>${password}`, '~tollgate:*', '+@all', '--user', 'default', 'off'];
    const here = tlsWords(authority, authority.issue('here', 'IP:127.0.0.1'), 'yes');
    server = await RedisProcess.start([...here, ...acl]);
    const elsewhere = authority.issue('elsewhere', 'DNS:elsewhere.example');
    foreign = await RedisProcess.start(tlsWords(authority, elsewhere, 'no'));
  });
  afterAll(async () => {
    await Promise.all([server, foreign].map((one) => one?.remove()));
    authority.remove();
  });

  it('works with user, password, database and a client’s certificate, and tells what TLS came about', async () => {
    const parameters = `ssl-ca=${authority.ca}&${clientFiles}`;
    const { window, lines } = openWindow(`rediss://app:${encoded}@127.0.0.1:${server.port}/3?${parameters}`);
    await window.connect();
    expect(await countEntered([window], 'by-tls')).toBe(60);
    expect(lines.join('')).toMatch(/"tls":"TLSv1\.[23]".*redis_connected|redis_connected.*"tls":"TLSv1\.[23]"/);
    expect(lines.join('')).not.toContain(password);
    await window.close();
  });

  it.each([
    ['VERIFY_CA', true],
    ['REQUIRED', false],
  ])('takes with ssl-mode=%s a certificate that is made out to another host', async (mode, hasAuthority) => {
    const parameters = `ssl-mode=${mode}${hasAuthority ? `&ssl-ca=${authority.ca}` : ''}`;
    const { window } = openWindow(`rediss://127.0.0.1:${foreign.port}?${parameters}`);
    await window.connect();
    expect(await enter(window, `by-${mode}`)).toMatchObject({ isEntered: true, count: 1 });
    await window.close();
  });

  it.each([
    [
      'a certificate of another host',
      () => `rediss://127.0.0.1:${foreign.port}?ssl-ca=${authority.ca}`,
      /does not match certificate's altnames/,
    ],
    ['an authority that nobody knows', () => `rediss://127.0.0.1:${foreign.port}`, /self-signed certificate/],
    [
      'no certificate of its own',
      () => `rediss://127.0.0.1:${server.port}?ssl-ca=${authority.ca}`,
      /certificate|ECONNRESET/,
    ],
    [
      'a wrong password',
      () => `rediss://app:wrong@127.0.0.1:${server.port}?ssl-ca=${authority.ca}&${clientFiles}`,
      /WRONGPASS/,
    ],
    ['no TLS', () => `redis://127.0.0.1:${foreign.port}`, /ECONNRESET|closed/i],
  ])('meets %s: says so once, and refuses at once to count', async (_, url, words) => {
    const { window, lines } = openWindow(url());
    await eventually(async () => {
      await enter(window, 'nobody').catch(() => {});
      return lines.length > 0;
    }, 20);
    await expect(enter(window, 'nobody')).rejects.toThrow();
    expect(lines.filter((line) => line.includes('redis_went_away'))).toHaveLength(1);
    expect(lines[0]).toMatch(words);
    await window.close();
  });
});

describeOnRedis('The shared window of requests by TLS behind Sentinels and on a Cluster', () => {
  it.each(['Sentinels', 'a Cluster'])(
    'reaches all servers of %s, and those alone whose certificates are right',
    async (which) => {
      const authority = new TestAuthority();
      const tls = { authority, certificate: authority.issue('here', 'IP:127.0.0.1') };
      const fleet =
        which === 'a Cluster'
          ? await ClusterFleet.start('data-password', tls)
          : await SentinelFleet.start('data-password', 'sentinel-password', tls);
      const url =
        which === 'a Cluster'
          ? `rediss+cluster://:data-password@${fleet.hosts}`
          : `rediss+sentinel://:data-password@${fleet.hosts}/mymaster?sentinel-password=sentinel-password`;
      const { window, lines } = openWindow(`${url}${url.includes('?') ? '&' : '?'}ssl-ca=${authority.ca}`);
      await window.connect();
      for (let account = 0; account < 6; account += 1)
        expect(await countEntered([window], `by-tls-${account}`)).toBe(60);
      expect(lines.join('')).toMatch(/"tls":"TLSv1\.[23]".*redis_connected/);
      await window.close();
      const stranger = openWindow(url);
      await eventually(() => stranger.lines.length > 0, 20);
      await expect(enter(stranger.window, 'nobody')).rejects.toThrow();
      expect(stranger.lines[0]).toMatch(/redis_went_away|redis_node_failed/);
      await stranger.window.close();
      await fleet.remove();
      authority.remove();
    },
    60_000,
  );
});

describeOnRedis('The shared window of requests behind Sentinels', () => {
  it.each(['killed', 'frozen'] as const)(
    'goes on with the new master when the old one is %s, and refuses nobody meanwhile',
    async (fate) => {
      const fleet = await SentinelFleet.start('data-password', 'sentinel-password');
      const url = `redis+sentinel://:data-password@${fleet.hosts}/mymaster/0?sentinel-password=sentinel-password`;
      const opened = [openWindow(url, 500), openWindow(url, 500)];
      for (const { window } of opened) await window.connect();
      const windows = opened.map(({ window }) => new FallbackSlidingWindow(window, new MemorySlidingWindow()));
      expect(await countEntered(windows, 'before')).toBe(60);

      if (fate === 'killed') await fleet.master.kill();
      else fleet.master.freeze();
      const inspector = new Redis({ host: '127.0.0.1', port: fleet.replica.port, password: 'data-password' });
      // Who waits at the old master is told after half a second; who is not counted there is counted by the process.
      await eventually(async () => {
        for (const window of windows)
          expect(await enter(window, 'probe', 1_000_000)).toMatchObject({ isEntered: true });
        return (await inspector.zcard('tollgate:requests:probe')) >= 2;
      }, 50);
      for (const { lines } of opened) {
        await eventually(() => lines.join('').includes('redis_came_back'), 50);
      }
      expect(await countOnceCalm(opened.map(({ window }) => window))).toBe(60);
      inspector.disconnect();
      for (const window of windows) await window.close();
      await fleet.remove();
    },
    120_000,
  );
});

describeOnRedis('The shared window of requests on a Cluster', () => {
  it('counts each account exactly, wherever it lies, and by itself while a master is away', async () => {
    const fleet = await ClusterFleet.start('data-password');
    const url = `redis+cluster://:data-password@${fleet.hosts}`;
    const opened = [openWindow(url), openWindow(url)];
    for (const { window } of opened) await window.connect();
    const shared = opened.map(({ window }) => window);
    for (let account = 0; account < 12; account += 1) expect(await countEntered(shared, `spread-${account}`)).toBe(60);
    const sizes = await Promise.all(fleet.masters.map(({ port }) => countKeys(port)));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(12);
    expect(Math.min(...sizes)).toBeGreaterThan(0);

    const [lost] = fleet.masters as [RedisProcess];
    const window = new FallbackSlidingWindow(shared[0] as SlidingWindow, new MemorySlidingWindow());
    await lost.kill();
    for (let account = 0; account < 12; account += 1) {
      expect(await enter(window, `meanwhile-${account}`)).toMatchObject({ isEntered: true });
    }
    await lost.resume();
    // Its memory is gone with it, so that whoever lies there begins anew.
    const all = Array.from({ length: 12 }, (_, account) => `again-${account}`);
    for (const accountId of all) {
      await eventually(() => isShared(shared, accountId), 50);
    }
    await window.close();
    await Promise.all(shared.map((one) => one.close()));
    await fleet.remove();
  }, 120_000);

  async function countKeys(port: number): Promise<number> {
    const client = new Redis({ host: '127.0.0.1', port, password: 'data-password' });
    const size = await client.dbsize();
    client.disconnect();
    return size;
  }

  async function isShared(windows: readonly SlidingWindow[], accountId: string): Promise<boolean> {
    try {
      const [one, other] = [
        await enter(windows[0] as SlidingWindow, accountId, 1e6),
        await enter(windows[1] as SlidingWindow, accountId, 1e6),
      ];
      return other.count === one.count + 1;
    } catch {
      return false;
    }
  }
});

it('An address that the settings refuse is refused by the connection, too, and is not quoted', () => {
  const make = () => new RedisConnection(new Secret('redis://:hunter2@one,two'), silentLogger);
  expect(make).toThrow(/names several hosts/);
  expect(make).not.toThrow(/hunter2/);
});
