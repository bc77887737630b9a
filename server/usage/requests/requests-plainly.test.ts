import { leastIdAt } from '../../kernel/ids.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { repetitions } from '../../test/sample.js';
import { SeededChoices } from '../../test/seeded-choices.js';
import { CallReader } from './call-reader.js';
import { RefusalEntity } from './refusal.entity.js';
import { RefusalReader } from './refusal-reader.js';
import { idOf, type RequestFilter, type RequestOrder, RequestReader } from './request-list.js';

const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? Math.floor(Math.random() * 1_000_000));
const rounds = repetitions({ usual: 20, all: 60 });
const fromMs = Date.UTC(2026, 4, 1);
const toMs = Date.UTC(2026, 4, 4);
/** More than are looked at for a page. */
const usualCalls = 11_000;
/** By each of two keys; an account keeps 200. */
const refusalCount = 90;

/** A request as this suite knows it: what a refused one does not have is null. */
interface Known {
  readonly id: string;
  readonly atMs: number;
  readonly model: string | null;
  readonly provider: string | null;
  readonly keyId: string;
  readonly outcome: string | null;
  readonly isStreamed: boolean | null;
  readonly tag: string | null;
  readonly endUser: string | null;
  readonly errorCode: string | null;
  readonly cost: number;
  readonly totalMs: number;
  readonly isRefused: boolean;
}
const narrowing = ['model', 'provider', 'keyId', 'outcome', 'isStreamed', 'tag', 'endUser', 'errorCode'] as const;
type Narrowing = Pick<Known, (typeof narrowing)[number]>;

describeOnEachDatabase(`RequestReader beside a plain filter (TOLLGATE_SAMPLE_SEED=${seed})`, (openTestDatabase) => {
  const choices = new SeededChoices(seed);
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let accountId: string;
  let reader: RequestReader;
  /** The newest first. */
  let known: readonly Known[];

  beforeAll(async () => {
    reader = new RequestReader({
      calls: new CallReader(fixture.unitOfWork),
      refusals: new RefusalReader(fixture.unitOfWork),
    });
    const owner = await fixture.createFundedAccount(10_000_000);
    const stranger = await fixture.createFundedAccount(10_000_000);
    accountId = owner.accountId;
    const all = { ...owner, fromMs, toMs, marks: { tags: 5, endUsers: 40 }, hasJournal: true };
    await insertBulkCalls(fixture.source, { ...all, count: usualCalls });
    await insertBulkCalls(fixture.source, { ...all, count: 300, keyId: 'playground' });
    await insertBulkCalls(fixture.source, { ...all, count: 5, model: 'rare', toMs: fromMs + 3_600_000 });
    await insertBulkCalls(fixture.source, { ...all, ...stranger, count: 50 });
    await tellApart('completed', 'abandoned', 11);
    await tellApart('failed', 'interrupted', 3);
    await tellApart('failed', 'expired', 2);
    for (const keyId of [owner.keyId, 'playground'])
      for (let n = 0; n < refusalCount; n += 1) await refuse(accountId, keyId);
    await refuse(stranger.accountId, stranger.keyId);
    known = [...(await readCalls()), ...(await readRefusals())].sort((one, other) => (one.id < other.id ? 1 : -1));
  }, 60_000);

  /** Gives every so manieth call of an end another one that the hour's sums do not tell from it, and an error's code. */
  async function tellApart(outcome: string, other: string, every: number) {
    const ids: { call_id: string }[] = await fixture.source.query(
      `SELECT call_id FROM call_record WHERE outcome = '${outcome}' ORDER BY call_id`,
    );
    const list = ids.filter((_, at) => at % every === 0).map(({ call_id }) => `'${call_id}'`);
    await fixture.source.query(
      `UPDATE call_record SET outcome = '${other}', error_code = 'why_${other}' WHERE call_id IN (${list.join(', ')})`,
    );
  }

  async function refuse(ofAccountId: string, keyId: string) {
    const lastAtMs = fromMs + choices.below(toMs - fromMs);
    const random = Array.from({ length: 16 }, () => choices.oneOf([...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'])).join('');
    await fixture.source.getRepository(RefusalEntity).insert({
      ...{ id: leastIdAt('call', lastAtMs).slice(0, -16) + random, accountId: ofAccountId, keyId, lastAtMs },
      ...{ status: 429, errorCode: choices.oneOf(['rate_limit_exceeded', 'why_expired']), param: null, wire: 'chat' },
      ...{ model: choices.oneOf([null, 'gpt-4o-mini', 'rare', 'none']), times: 1 },
    });
  }

  async function readCalls(): Promise<Known[]> {
    const rows: Record<string, unknown>[] = await fixture.source.query(
      `SELECT * FROM call_record WHERE account_id = '${accountId}'`,
    );
    return rows.map((row) => ({
      ...{ id: String(row.call_id), atMs: Number(row.started_at_ms), isRefused: false, keyId: String(row.key_id) },
      ...{ model: String(row.model), provider: String(row.provider), outcome: String(row.outcome) },
      ...{ isStreamed: Number(row.is_streamed) === 1, tag: String(row.tag), endUser: String(row.end_user) },
      errorCode: row.error_code === null ? null : String(row.error_code),
      ...{ cost: Number(row.charged_millicredits), totalMs: Number(row.total_ms) },
    }));
  }

  async function readRefusals(): Promise<Known[]> {
    const rows = await fixture.source.getRepository(RefusalEntity).findBy({ accountId });
    const none = { provider: null, outcome: null, isStreamed: null, tag: null, endUser: null, cost: 0, totalMs: 0 };
    return rows.map(({ id, lastAtMs, model, keyId, errorCode }) => ({
      ...{ id, atMs: lastAtMs, model, keyId, errorCode, isRefused: true, ...none },
    }));
  }

  /** Mostly values of one and the same request, so that many filters find something. */
  function chooseFilter(): RequestFilter {
    const like = choices.oneOf(choices.chance(30) ? known.filter(({ isRefused }) => isRefused) : known);
    const filter: Record<string, unknown> = {};
    for (const name of narrowing) {
      if (!choices.chance(25)) continue;
      filter[name] = choices.chance(75) ? like[name] : choices.oneOf(known)[name];
    }
    if (choices.chance(10)) filter[choices.oneOf(['model', 'keyId', 'tag'])] = 'that none has';
    if (choices.chance(30)) filter.isRefused = choices.oneOf([true, false]);
    if (choices.chance(30)) filter.fromMs = choices.chance(50) ? like.atMs : fromMs + choices.below(toMs - fromMs);
    if (choices.chance(30)) filter.toMs = Math.max(like.atMs + choices.below(2), Number(filter.fromMs ?? 0) + 1);
    return filter;
  }

  function filterPlainly(filter: RequestFilter): readonly Known[] {
    return known.filter(
      (one) =>
        (filter.isRefused == null || one.isRefused === filter.isRefused) &&
        (filter.fromMs == null || one.atMs >= filter.fromMs) &&
        (filter.toMs == null || one.atMs < filter.toMs) &&
        narrowing.every((name) => filter[name] == null || (one as Narrowing)[name] === filter[name]),
    );
  }

  async function readAll(first: number, filter: RequestFilter): Promise<string[]> {
    const ids: string[] = [];
    for (let beforeId: string | null = null; ; ) {
      const page = await reader.listRequests(accountId, { first, beforeId, filter });
      expect(page.items.length).toBeLessThanOrEqual(first);
      ids.push(...page.items.map(idOf));
      if (!page.hasNextPage) return ids;
      const last = page.items.at(-1);
      const nextId: string | null = page.endKey ?? (last === undefined ? null : idOf(last));
      // A page without an end would be asked for again, for ever.
      expect(nextId).not.toBeNull();
      expect(nextId).not.toBe(beforeId);
      beforeId = nextId;
    }
  }

  it('lists each request that fits, once, the newest first, over all pages, narrowed by anything', async () => {
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const filter = chooseFilter();
      const expected = filterPlainly(filter).map(({ id }) => id);
      const first = expected.length > 1_000 ? 2_000 : choices.oneOf([1 + Math.ceil(expected.length / 4), 7, 100]);
      expect({ filter, ids: await readAll(first, filter) }).toEqual({ filter, ids: expected });
      found += expected.length > 0 ? 1 : 0;
    }
    expect(found).toBeGreaterThan(rounds / 5);
  }, 120_000);

  it('lists the largest by cost and by duration of the newest 10,000 calls that the time and the key leave', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const order = choices.oneOf(['cost', 'duration'] satisfies RequestOrder[]);
      const filter = chooseFilter();
      const first = choices.oneOf([1, 7, 100]);
      const { keyId, fromMs: beginsMs, toMs: endsMs } = filter;
      const lookedAt = filterPlainly({ keyId, fromMs: beginsMs, toMs: endsMs, isRefused: false }).slice(0, 10_000);
      const fitting = new Set(filterPlainly(filter));
      const by = order === 'cost' ? 'cost' : 'totalMs';
      const expected = lookedAt
        .filter((one) => fitting.has(one))
        .sort((one, other) => other[by] - one[by] || (one.id < other.id ? 1 : -1));
      const page = await reader.listRequests(accountId, { first, beforeId: null, filter, order });
      const ids = expected.slice(0, first).map(({ id }) => id);
      expect({ filter, order, ids: page.items.map(idOf) }).toEqual({ filter, order, ids });
      expect(page.hasNextPage).toBe(false);
    }
  }, 120_000);
});
