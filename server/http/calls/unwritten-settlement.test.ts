import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBehindProxy } from '../../test/app-behind-proxy.js';
import type { TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnMysql } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import type { TcpProxy } from '../../test/tcp-proxy.js';

describeOnMysql('A call while the database is away', (openTestDatabase) => {
  let network: TcpProxy;
  let app: TestApp;
  let account: TestAccount;
  beforeAll(async () => {
    ({ app, network } = await startBehindProxy(await openTestDatabase()));
    account = await app.createAccount();
  });
  afterAll(async () => {
    await app?.close();
    await network?.close();
  });

  const bodyOf = (isStreamed: boolean, tokens: number, delayMs: number) => ({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: `@@tokens=${tokens} @@delay=${delayMs}` }],
    max_tokens: tokens,
    stream: isStreamed,
  });
  const health = async () => {
    const response = await fetch(`${app.baseUrl}/healthz`);
    return { status: response.status, body: (await response.json()) as { settlements: object } };
  };

  it.each([
    ['ENOSPC', false],
    ['ENOSPC', true],
    ['EIO', true],
    ['EROFS', false],
    ['EMFILE', true],
  ])(
    'ends with an error and is free when the disk says %s as well; streamed: %s',
    async (code, isStreamed) => {
      const before = await app.findWallet(account.accountId);
      const answer = app.call(account.secret, bodyOf(isStreamed, 20, 50));
      await eventually(async () => (await app.findWallet(account.accountId)).pending > 0);
      network.setFault('down');
      const mend = await breakDisk(code);
      try {
        const response = await answer;
        const text = await response.text();
        expect(text).not.toContain('[DONE]');
        expect(text).toContain('service_unavailable');
        expect(response.status).toBe(isStreamed ? 200 : 503);
        expect((await health()).body.settlements).toMatchObject({ room: 'missing', roomMissingFor: code });
      } finally {
        mend();
        network.setFault('none');
      }
      await eventually(async () => (await health()).status === 200, 50);
      await app.waitUntilSettled(account.accountId);
      expect(await app.findWallet(account.accountId)).toEqual(before);
      const next = await app.call(account.secret, bodyOf(false, 2, 0));
      expect(next.status).toBe(200);
    },
    60_000,
  );

  it('answers good keys with 503 and a wait, however many come, and never takes them for strangers', async () => {
    const { secret } = await app.createAccount();
    await app.call(secret, bodyOf(false, 1, 0));
    // The server does not remember a key for longer than this.
    await sleep(5_100);
    network.setFault('down');
    try {
      const statuses = new Set<number>();
      for (let n = 0; n < 150; n += 1) {
        const response = await app.call(secret, bodyOf(false, 1, 0));
        statuses.add(response.status);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        await response.text();
      }
      expect([...statuses]).toEqual([503]);
      expect((await app.call('tg_nonsense', bodyOf(false, 1, 0))).status).toBe(401);
    } finally {
      network.setFault('none');
    }
    await eventually(async () => (await health()).status === 200, 50);
  }, 60_000);
});

/** From now on each write of a file that this process has opened by a handle fails. @returns what ends that. */
async function breakDisk(code: string): Promise<() => void> {
  const probe = await open(join(tmpdir(), 'tollgate-probe'), 'w');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { write, datasync } = handles;
  const fail = () => Promise.reject(Object.assign(new Error(`${code}: the disk fails`), { code }));
  handles.write = fail as FileHandle['write'];
  handles.datasync = fail;
  return () => {
    handles.write = write;
    handles.datasync = datasync;
  };
}
