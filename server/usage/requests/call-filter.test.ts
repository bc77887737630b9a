import { And, LessThan, MoreThanOrEqual } from 'typeorm';
import { leastIdAt } from '../../kernel/ids.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { LatencyReporter } from '../reports/latency-report.js';
import { type CallFilter, clockJumpMs, toCallConditions } from './call-filter.js';
import { CallReader, type CallRecord } from './call-reader.js';

const count = 12_000;
const fromMs = Date.UTC(2026, 4, 1);
const toMs = Date.UTC(2026, 4, 3);
const hourMs = 3_600_000;

describeOnEachDatabase('the list of calls, filtered', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let calls: CallReader;
  let account: { accountId: string; keyId: string };

  beforeAll(async () => {
    calls = new CallReader(fixture.unitOfWork);
    account = await fixture.createFundedAccount(10_000_000);
    const stranger = await fixture.createFundedAccount(10_000_000);
    await insertBulkCalls(fixture.source, { ...account, count, fromMs, toMs, hasJournal: true });
    await insertBulkCalls(fixture.source, { ...stranger, count: 100, fromMs, toMs, hasJournal: true });
  });

  const readAll = async (filter: CallFilter) => {
    const found: CallRecord[] = [];
    let pages = 0;
    for (let beforeId: string | null = null; ; ) {
      const page = await calls.listCalls(account.accountId, { first: 5_000, beforeId, filter });
      found.push(...page.items);
      pages += 1;
      beforeId = page.endKey ?? page.items.at(-1)?.callId ?? null;
      if (!page.hasNextPage) return { found, pages };
    }
  };
  const expected = (isWanted: (n: number) => boolean) => Array.from({ length: count }, (_, n) => n).filter(isWanted);

  it.each<[string, () => CallFilter, (n: number) => boolean]>([
    ['nothing', () => ({}), () => true],
    ['a model', () => ({ model: 'demo-small' }), (n) => n % 3 === 1],
    ['a provider', () => ({ provider: 'openai' }), (n) => n % 3 === 0],
    ['an outcome', () => ({ outcome: 'failed' }), (n) => n % 50 === 0],
    ['a stream', () => ({ isStreamed: true }), (n) => n % 2 === 1],
    ['a key', () => ({ keyId: account.keyId }), () => true],
    [
      'several',
      () => ({ outcome: 'completed', model: 'demo-small', isStreamed: true }),
      (n) => n % 6 === 1 && n % 50 > 0,
    ],
    ['two that exclude each other', () => ({ model: 'demo-small', provider: 'openai' }), () => false],
    ['null, which is nothing', () => ({ model: null, keyId: null, fromMs: null }), () => true],
  ])('by %s finds each call once, newest first', async (_, filter, isWanted) => {
    const { found } = await readAll(filter());
    const ids = found.map(({ callId }) => callId);
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(found.length).toBe(expected(isWanted).length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('looks at no more than 10,000 calls for a page, and says where it stopped', async () => {
    const { accountId } = account;
    const filter = { isStreamed: true, keyId: account.keyId, model: 'demo-small', provider: 'openai' };
    const page = await calls.listCalls(accountId, { first: 10, beforeId: null, filter: { ...filter, model: null } });
    expect(page).toMatchObject({ hasNextPage: true, endKey: null });
    const busy = { keyId: account.keyId, outcome: 'interrupted' as const };
    expect(await calls.listCalls(accountId, { first: 10, beforeId: null, filter: busy })).toMatchObject({ items: [] });
    const none = { isStreamed: false, outcome: 'completed' as const, keyId: account.keyId, model: 'none' };
    expect(await readAll(none)).toEqual({ found: [], pages: 1 });
    const { found, pages } = await readAll({ keyId: account.keyId, isStreamed: true });
    expect(found).toHaveLength(count / 2);
    expect(pages).toBeGreaterThanOrEqual(2);
  });

  it('finds what is rare at once, however many calls there are before it, and nothing behind it', async () => {
    const owner = await fixture.createFundedAccount(10_000_000);
    const time = { fromMs, toMs: fromMs + hourMs, hasJournal: true };
    await insertBulkCalls(fixture.source, { ...owner, count: 100, ...time });
    await insertBulkCalls(fixture.source, { ...owner, count: 3, ...time, model: 'rare' });
    await insertBulkCalls(fixture.source, {
      ...owner,
      count: 10_100,
      fromMs: fromMs + 3 * hourMs,
      toMs,
      hasJournal: true,
    });
    const newer = `account_id = '${owner.accountId}' AND`;
    await fixture.source.query(
      `UPDATE call_record SET outcome = 'completed' WHERE ${newer} started_at_ms > ${fromMs + 2 * hourMs}`,
    );
    await fixture.source.query(
      `UPDATE usage_hour SET failed_calls = 0 WHERE ${newer} hour_ms > ${fromMs + 2 * hourMs}`,
    );
    const list = (filter: CallFilter) =>
      calls.listCalls(owner.accountId, { first: 10, beforeId: null, filter: { ...filter, keyId: owner.keyId } });
    const found = await list({ model: 'rare' });
    expect(found.items.map(({ model }) => model)).toEqual(['rare', 'rare', 'rare']);
    expect(found).toMatchObject({ hasNextPage: false, endKey: null });
    // Two of a hundred, and one of the rare ones.
    expect((await list({ outcome: 'failed' })).items).toHaveLength(3);
    expect(await list({ outcome: 'failed', model: 'rare', provider: 'demo' })).toMatchObject({ items: [] });
    expect(await list({ model: 'rare', fromMs: fromMs + hourMs })).toMatchObject({ items: [], hasNextPage: false });
    expect((await list({ model: 'rare', toMs: fromMs + 1 })).items).toHaveLength(1);
  });

  it('finds a call whose clock was set back across the hour between its id and its beginning', async () => {
    const owner = await fixture.createFundedAccount(10_000_000);
    const time = { fromMs: fromMs + hourMs + 500, toMs: fromMs + hourMs + 600, hasJournal: true };
    await insertBulkCalls(fixture.source, { ...owner, count: 1, ...time });
    const own = `WHERE account_id = '${owner.accountId}'`;
    await fixture.source.query(`UPDATE call_record SET started_at_ms = ${fromMs + hourMs - 1} ${own}`);
    await fixture.source.query(`UPDATE usage_hour SET hour_ms = ${fromMs} ${own}`);
    const page = { first: 1, beforeId: null, filter: { model: 'gpt-4o-mini' } };
    expect((await calls.listCalls(owner.accountId, page)).items).toHaveLength(1);
  });

  it('bounds the time to the millisecond, and refuses one that ends before it begins', async () => {
    const { found } = await readAll({});
    const [last, first] = [found[100], found[200]] as [CallRecord, CallRecord];
    const between = await readAll({ fromMs: first.startedAtMs, toMs: last.startedAtMs });
    expect(between.found.map(({ callId }) => callId)).toEqual(found.slice(101, 201).map(({ callId }) => callId));
    await expect(readAll({ fromMs: 2, toMs: 2 })).rejects.toMatchObject({ code: 'invalid_value', param: 'to' });
    expect((await readAll({ fromMs: -1, toMs: 8.64e15 })).found).toHaveLength(count);
  });

  it('shows a foreign key and one that is none as having no calls', async () => {
    for (const keyId of ["x' OR 1=1", 'key_00000000000000000000000000']) {
      expect((await readAll({ keyId })).found).toEqual([]);
    }
  });

  it('tells how quickly each model answered, by the newest of its calls', async () => {
    const reporter = new LatencyReporter(fixture.unitOfWork);
    const question = { accountId: account.accountId, fromMs, toMs, grouping: 'model' } as const;
    const rows = await reporter.report(question);
    expect(rows.map(({ key, calls: all, failedCalls }) => [key, all, failedCalls]).toSorted()).toEqual([
      ['claude-haiku', count / 3, count / 150],
      ['demo-small', count / 3, count / 150],
      ['gpt-4o-mini', count / 3, count / 150],
    ]);
    for (const row of rows) {
      const { found } = await readAll({ model: row.key });
      const newest = found.slice(0, 1_000).filter(({ outcome }) => outcome === 'completed');
      const times = newest.map(({ totalMs }) => totalMs).sort((a, b) => a - b);
      expect(row.sampledCalls).toBe(times.length);
      expect(row.medianMs).toBe(times[Math.ceil(times.length / 2) - 1]);
      expect(row.p95Ms).toBe(times[Math.ceil(times.length * 0.95) - 1]);
      expect(row.medianFirstByteMs).toBeGreaterThan(0);
    }
    expect(await reporter.report({ ...question, fromMs: 1, toMs: 2 })).toEqual([]);
    await expect(reporter.report({ ...question, toMs: fromMs })).rejects.toMatchObject({ param: 'to' });
  });
});

describe('The conditions of a filter', () => {
  it('give the index one bound of a kind, the narrower one: of two, SQLite reads all that only the other leaves out', () => {
    const beforeId = leastIdAt('call', toMs - hourMs);
    const firstId = leastIdAt('call', fromMs + hourMs);
    const boundsOf = (filter: CallFilter) => toCallConditions('acct_1', filter, beforeId, firstId).indexed.callId;
    const narrow = And(MoreThanOrEqual(firstId), LessThan(beforeId));
    expect(boundsOf({ fromMs, toMs })).toEqual(narrow);
    expect(boundsOf({})).toEqual(narrow);
    const within = { fromMs: fromMs + 2 * hourMs, toMs: toMs - 2 * hourMs };
    const ids = [within.fromMs - clockJumpMs, within.toMs + clockJumpMs].map((ms) => leastIdAt('call', ms));
    expect(boundsOf(within)).toEqual(And(MoreThanOrEqual(ids[0]), LessThan(ids[1])));
  });
});
