import { startBehindProxy } from '../../test/app-behind-proxy.js';
import type { TestApp } from '../../test/create-test-app.js';
import { describeOnMysql } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import type { TcpProxy } from '../../test/tcp-proxy.js';
import { stretched } from '../../test/wait-factor.js';

describeOnMysql('A database that answers everything, late', (openTestDatabase) => {
  let network: TcpProxy;
  let app: TestApp;
  beforeAll(async () => {
    ({ app, network } = await startBehindProxy(await openTestDatabase()));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await network?.close();
  }, 60_000);

  it('keeps nobody waiting: who cannot be served soon is told to come again, by every route, and none is charged', async () => {
    const { secret, accountId } = await app.createAccount();
    const before = await app.findWallet(accountId);
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${secret}` };
      // Behind ten connections whose statements take a second each, the last of them would wait for 40.
      const signal = AbortSignal.timeout(stretched(20_000));
      const response = await fetch(`${app.baseUrl}${path}`, { headers, signal });
      await response.text();
      return response;
    };
    network.delayMs = 500;
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) => ask(n % 2 === 0 ? '/v1/models' : '/v1/credits')),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    network.delayMs = 0;
    await eventually(async () => (await ask('/v1/models')).status === 200, 50);
    expect(await app.findWallet(accountId)).toEqual(before);
  }, 120_000);
});
