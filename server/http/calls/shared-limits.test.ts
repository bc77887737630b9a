import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnMysql, openSqliteDatabase } from '../../test/each-database.js';
import { eventually, eventuallyFind } from '../../test/eventually.js';
import { describeOnRedis, PrivateRedis } from '../../test/private-redis.js';

const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
const metricsToken = 'token-of-thirty-two-characters-00';
const minute = { REQUESTS_PER_MINUTE: '60', METRICS_TOKEN: metricsToken };

/** Commands to Redis that had no answer in time. */
async function countUnanswered(apps: readonly TestApp[]): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const texts = await Promise.all(
    apps.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/metrics`, { headers })).text()),
  );
  for (const text of texts) expect(text).toContain('tollgate_');
  const counts = texts.flatMap((text) => [
    ...text.matchAll(/^tollgate_redis_commands_total\{result="(?:timed_out|away)"\} (\d+)/gm),
  ]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What every store promises of the whole application, on however many instances. */
function defineLimitTests(openApps: () => readonly TestApp[]): void {
  const callAnyOf = (apps: readonly TestApp[], index: number, account: TestAccount) =>
    (apps[index % apps.length] as TestApp).call(account.secret, call);

  /** null: on a busy machine the store took longer than it is waited for, and each instance counted by itself meanwhile. */
  const callAtOnce = async () => {
    const apps = openApps();
    const unansweredBefore = await countUnanswered(apps);
    const account = await (apps[0] as TestApp).createAccount(5);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => callAnyOf(apps, index, account)));
    return (await countUnanswered(apps)) === unansweredBefore ? answers : null;
  };

  it('60 requests of an account pass in a minute on all instances together; the 61st is told when to come again', async () => {
    const answers = await eventuallyFind(callAtOnce);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    for (const { headers } of refused) {
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(Number(headers.get('retry-after-ms'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after-ms'))).toBeLessThanOrEqual(60_000);
    }
  });

  it('every answer says where the account stands, the refusals too', async () => {
    const [app] = openApps() as [TestApp];
    const account = await app.createAccount(5);
    const answers = [
      await app.call(account.secret, call),
      await app.call(account.secret, '{'),
      await app.call(account.secret, { ...call, stream: true }),
      await fetch(`${app.baseUrl}/v1/credits`, { headers: { authorization: `Bearer ${account.secret}` } }),
    ];
    const remaining = answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'));
    expect(remaining).toEqual(['59', '58', '57', '56']);
    for (const answer of answers) {
      expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('60');
      expect(answer.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+(ms|s)$/);
      await answer.text();
    }
  });
}

describeOnRedis('The whole application with REDIS_URL', () => {
  let redis: PrivateRedis;
  let apps: readonly TestApp[];
  beforeAll(async () => {
    redis = await PrivateRedis.start();
    apps = await TestApp.startTwo(await openSqliteDatabase(), { ...minute, REDIS_URL: redis.url.reveal() });
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await redis.kill();
  });

  defineLimitTests(() => apps);

  it('Redis dies: no request fails for it, and none is let through uncounted; when it is back it counts again', async () => {
    const [app] = apps as [TestApp];
    const account = await app.createAccount(5);
    const standing = async () => {
      const { status, headers } = await app.call(account.secret, call);
      return { status, remaining: headers.get('x-ratelimit-remaining-requests') };
    };
    expect(await standing()).toEqual({ status: 200, remaining: '59' });
    await redis.kill();
    // Now this process counts by itself, from nothing.
    const statuses: number[] = [];
    for (let request = 0; request < 61; request += 1) statuses.push((await standing()).status);
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    expect(app.logLines.join('')).toContain('redis_went_away');

    await redis.resume();
    await eventually(() => app.logLines.join('').includes('redis_came_back'), 20);
    expect(await standing()).toEqual({ status: 200, remaining: '59' });
  });
});

describeOnMysql('The whole application with RATE_LIMIT_STORE=mysql', (openTestDatabase) => {
  let apps: readonly TestApp[];
  beforeAll(async () => {
    apps = await TestApp.startTwo(await openTestDatabase(), { ...minute, RATE_LIMIT_STORE: 'mysql' });
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  defineLimitTests(() => apps);
});
