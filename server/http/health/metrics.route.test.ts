import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import express from 'express';
import { AccountEvents } from '../../audit/account-events.js';
import { FakeClock } from '../../kernel/clock.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { createHealthRoute, examineHealth } from './health.route.js';

const token = 'a-token-of-the-operator';
/** As `/healthz` tells of them when all is well. */
const settlements = {
  kept: 0,
  oldestKeptAt: null,
  quarantined: 0,
  damagedFiles: 0,
  room: 'ready',
  roomMissingFor: null,
};

describeOnEachDatabase('GET /metrics and GET /healthz', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { METRICS_TOKEN: token });
  afterEach(() => mock.restoreAll());

  const readMetrics = async () => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return { response, text: await response.text() };
  };

  it('tell the operator about the ledger, each figure with its help and its type', async () => {
    const account = await app.createAccount();
    await app.call(account.secret, { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });
    const { response, text } = await readMetrics();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = text.split('\n');
    for (const [name, kind, value] of [
      ['tollgate_ledger_kept_settlements', 'gauge', 0],
      ['tollgate_ledger_open_holds', 'gauge', 0],
      ['tollgate_ledger_absorbed_millicredits_total', 'counter', 0],
      ['tollgate_ledger_double_resolutions_total', 'counter', 0],
      ['tollgate_graphql_waiting', 'gauge', 0],
      ['tollgate_graphql_not_begun_total', 'counter', 0],
      ['tollgate_exports_running', 'gauge', 0],
    ]) {
      expect(lines).toContain(`# TYPE ${name} ${kind}`);
      expect(lines).toContain(`${name} ${value}`);
    }
    expect(text).toMatch(
      /^(# (HELP|TYPE) tollgate_\w+ .+\n|tollgate_\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? \d+(\.\d+)?(e-\d+)?\n)+$/,
    );
  });

  it('tell how many files of accounts are being written, until each has ended', async () => {
    const account = await app.createAccount();
    let write = (): void => {};
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    mock.method(AccountEvents.prototype, 'noteExport', () => written);
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const files = [1, 2].map(() => fetch(`${app.baseUrl}/export/account.json`, { headers }));
    await eventually(async () => (await readMetrics()).text.includes('\ntollgate_exports_running 2\n'), 20);
    write();
    for (const file of files) expect((await file).status).toBe(200);
    for (const file of files) await (await file).text();
    await eventually(async () => (await readMetrics()).text.includes('\ntollgate_exports_running 0\n'), 20);
  });

  it.each([
    ['nobody', {}],
    ['somebody with another token', { authorization: 'Bearer another-token-of-16' }],
    ['somebody with a longer one', { authorization: `Bearer ${token}x` }],
  ])('give %s no figures', async (_, headers: Record<string, string>) => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('tollgate_');
  });

  it('say that nobody has looked at the ledger yet', async () => {
    const response = await fetch(`${app.baseUrl}/healthz`);
    expect(await response.json()).toEqual({
      status: 'ok',
      database: 'up',
      ledger: { verifiedAt: null, violations: null },
      settlements,
    });
    expect((await readMetrics()).text).not.toContain('tollgate_ledger_violations');
  });
});

describeOnEachDatabase('GET /metrics without METRICS_TOKEN', (openTestDatabase) => {
  it('is not there', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: 'Bearer ' } });
    expect(response.status).toBe(404);
    await app.close();
  });
});

describe('GET /healthz', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const wellStanding = {
    keptCount: 0,
    oldestKeptAtMs: null,
    quarantinedCount: 0,
    damagedFileCount: 0,
    room: { isReady: true, reason: null },
    commitsFailingMs: null,
  };
  const askHealth = async (isDatabaseUp: boolean, violations: number, standing: object = {}, failingMs?: number) => {
    const checkDatabase = () => (isDatabaseUp ? Promise.resolve() : Promise.reject(new Error('away')));
    const verifiedAtMs = Date.UTC(2026, 10, 20);
    const clock = new FakeClock(Date.UTC(2026, 10, 21));
    const failingSinceMs = failingMs === undefined ? null : clock.nowMs() - failingMs;
    const findStanding = async () => ({ ...wellStanding, ...standing });
    const route = createHealthRoute(() =>
      examineHealth(checkDatabase, () => ({ verifiedAtMs, violations, failingSinceMs }), findStanding, clock),
    );
    const server = express().get('/healthz', route).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`);
    return { status: response.status, body: await response.json() };
  };
  const verifiedAt = '2026-11-20T00:00:00.000Z';

  it('says that the ledger does not add up, and still takes calls', async () => {
    expect(await askHealth(true, 2)).toEqual({
      status: 200,
      body: { status: 'degraded', database: 'up', ledger: { verifiedAt, violations: 2 }, settlements },
    });
  });

  it('says since when nobody could look at the ledger once that is ten minutes, and still takes calls', async () => {
    const known = { verifiedAt, violations: 0 };
    expect((await askHealth(true, 0, {}, 599_999)).body).toMatchObject({ status: 'ok', ledger: known });
    expect(await askHealth(true, 0, {}, 600_000)).toEqual({
      status: 200,
      body: {
        status: 'degraded',
        database: 'up',
        ledger: { ...known, auditFailingSince: '2026-11-20T23:50:00.000Z' },
        settlements,
      },
    });
  });

  it('takes no calls while the database is away', async () => {
    expect(await askHealth(false, 0)).toEqual({
      status: 503,
      body: { status: 'unavailable', database: 'down', ledger: { verifiedAt, violations: 0 }, settlements },
    });
  });

  it('takes no calls while the database answers and books nothing, and says since when', async () => {
    expect(await askHealth(true, 0, { commitsFailingMs: 60_000 })).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        database: 'up',
        ledger: { verifiedAt, violations: 0, commitsFailingSince: '2026-11-20T23:59:00.000Z' },
        settlements,
      },
    });
  });

  it('takes no calls while the disk has no room for their settlements, and says why', async () => {
    const { status, body } = await askHealth(true, 0, { room: { isReady: false, reason: 'ENOSPC' } });
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: 'unavailable',
      database: 'up',
      settlements: { room: 'missing', roomMissingFor: 'ENOSPC' },
    });
  });

  it.each([
    ['wait', { keptCount: 3, oldestKeptAtMs: Date.UTC(2026, 10, 20) }, { kept: 3, oldestKeptAt: verifiedAt }],
    ['were refused', { quarantinedCount: 2 }, { quarantined: 2 }],
    ['were found damaged', { damagedFileCount: 1 }, { damagedFiles: 1 }],
  ])('says that settlements %s, and still takes calls', async (_, standing, told) => {
    const { status, body } = await askHealth(true, 0, standing);
    expect([status, body]).toEqual([
      200,
      {
        status: 'degraded',
        database: 'up',
        ledger: { verifiedAt, violations: 0 },
        settlements: { ...settlements, ...told },
      },
    ]);
  });
});
