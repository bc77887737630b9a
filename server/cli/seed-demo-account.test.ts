import { loadConfig } from '../config/config.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { planDemoTraffic } from '../demo/demo-traffic.js';
import { entities, migrations } from '../entities.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import { makeTestFolder } from '../test/test-folder.js';
import { demoEmail, type SeedOptions, seedDemoAccount } from './seed-demo-account.js';

const nowMs = Date.UTC(2026, 5, 15, 9);

describe('The demo account', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('seed');
  });

  const configOf = (settings: Record<string, string> = {}) =>
    loadConfig({ DATABASE_URL: `sqlite:${folder}/demo.db`, SPOOL_DIR: `${folder}/spool`, ...settings });
  const seed = (settings?: Record<string, string>, more: Pick<SeedOptions, 'onAccount' | 'stop'> = {}) =>
    seedDemoAccount({
      config: configOf(settings),
      password: 'a demo password',
      callCount: 300,
      seed: 7,
      nowMs,
      ...more,
    });

  it('has months of calls in books that add up, none of them in the future, keys that it may have and that were used by them last, and is made once', async () => {
    const { callCount: calls, isWhole } = await seed();
    expect(isWhole).toBe(true);
    expect(calls).toBeGreaterThan(200);
    expect(listBroken(await verifyLedger(configOf().database))).toEqual([]);
    const source = await openDataSource(createDataSource(configOf().database, { entities, migrations }));
    const [row] = await source.query(
      'SELECT COUNT(*) AS calls, MIN(started_at_ms) AS first, MAX(started_at_ms) AS last, COUNT(DISTINCT model) AS models FROM call_record',
    );
    const [wallet] = await source.query(
      "SELECT credits_posted - debits_posted AS available, debits_pending AS held FROM ledger_account WHERE kind = 'wallet'",
    );
    const keys = await source.query(
      'SELECT last_used_at_ms AS used, (SELECT MAX(started_at_ms) FROM call_record WHERE key_id = api_key.id) AS called FROM api_key',
    );
    const limits = await source.query('SELECT keys_max AS most FROM account_limit');
    await source.destroy();
    // As many as it has, whatever the server allows other accounts.
    expect(limits).toEqual([{ most: keys.length }]);
    for (const { used, called } of keys) expect(used).toBe(called);
    expect(row.calls).toBe(calls);
    expect(row.models).toBeGreaterThan(3);
    expect(nowMs - row.first).toBeGreaterThan(100 * 24 * 3_600_000);
    expect(row.last).toBeLessThan(nowMs);
    expect(wallet.available).toBeGreaterThan(0);
    expect(wallet.held).toBe(0);
    await expect(seed()).rejects.toThrow(`There is an account ${demoEmail} already. Name another file`);
  }, 60_000);

  it('has events of the time that they tell of: keys that were made and credits that were bought months ago, and none of now', async () => {
    await seed();
    const source = await openDataSource(createDataSource(configOf().database, { entities, migrations }));
    const events = await source.query(
      `SELECT event.kind, event.created_at_ms - COALESCE(
          (SELECT created_at_ms FROM api_key WHERE id = event.subject_id),
          (SELECT created_at_ms FROM purchase WHERE id = event.subject_id),
          (SELECT created_at_ms FROM account WHERE id = event.account_id)) AS late
        FROM account_event AS event`,
    );
    await source.destroy();
    const kinds = events.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['signed_up', 'key_created', 'checkout_started']));
    for (const { kind, late } of events) expect([kind, late >= 0 && late <= 60_000]).toEqual([kind, true]);
  }, 60_000);

  it('that was stopped has what it had by then, in books that add up, and the next run says that it is not whole', async () => {
    const stop = new AbortController();
    const stopped = await seed({}, { onAccount: () => stop.abort(), stop: stop.signal });
    expect(stopped).toEqual({ callCount: 0, isWhole: false });
    expect(listBroken(await verifyLedger(configOf().database))).toEqual([]);
    await expect(seed()).rejects.toThrow(
      'already that an earlier run did not finish. Name another file in DATABASE_URL',
    );
  }, 60_000);

  it('is refused in production and outside SQLite, before anything is written', async () => {
    await expect(seed({ NODE_ENV: 'production' })).rejects.toThrow('production');
    await expect(seed({ DATABASE_URL: 'mysql://a:b@127.0.0.1:1/x' })).rejects.toThrow('SQLite');
  });

  it('makes the same calls of the same seed', () => {
    const plan = { seed: 3, fromMs: nowMs - 9 * 24 * 3_600_000, toMs: nowMs, callCount: 100 };
    expect([...planDemoTraffic(plan)]).toEqual([...planDemoTraffic(plan)]);
    expect([...planDemoTraffic(plan)]).not.toEqual([...planDemoTraffic({ ...plan, seed: 4 })]);
  });

  it('keeps every call within its time, in order, however many they are and wherever in an hour it begins', () => {
    const plan = { seed: 5, fromMs: nowMs - 40 * 3_600_000 + 1_800_000, toMs: nowMs, callCount: 5_000 };
    const starts = [...planDemoTraffic(plan)].map(({ startedAtMs }) => startedAtMs);
    expect(starts.length).toBeGreaterThan(4_000);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(plan.fromMs);
    expect(Math.max(...starts)).toBeLessThan(plan.toMs);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });
});
