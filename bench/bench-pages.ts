import { cpus } from 'node:os';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { UnitOfWork } from '../server/database/unit-of-work.js';
import { insertBulkCalls } from '../server/test/bulk-calls.js';
import { LedgerFixture } from '../server/test/ledger-fixture.js';
import { type ExploreMetric, Explorer } from '../server/usage/reports/explore.js';
import { LatencyReporter } from '../server/usage/reports/latency-report.js';
import { type UsageDimension, UsageReporter } from '../server/usage/reports/usage-report.js';
import type { CallFilter } from '../server/usage/requests/call-filter.js';
import { CallReader } from '../server/usage/requests/call-reader.js';
import { type Spread, showSpread, showTable, spreadOf } from './figures.js';
import { measureOnEachDatabase } from './on-each-database.js';

const fewCalls = 1_000;
/** USAGE_ROWS=100000 is quicker. */
const manyCalls = Number(process.env.USAGE_ROWS ?? 1_000_000);
const rounds = 15;
const rareModel = 'rare';
const dayMs = 24 * 60 * 60 * 1_000;
const toMs = Date.UTC(2026, 5, 1);
const fromMs = toMs - 30 * dayMs;

/** What the dashboard asks for, for an account with a thousand calls in 30 days and one with a million. */
export async function benchPages(): Promise<object> {
  return { cores: cpus().length, fewCalls, manyCalls, rounds, ...(await measureOnEachDatabase(measure)) };
}

async function measure(title: string, address: DatabaseAddress): Promise<object> {
  const fixture = await LedgerFixture.open({ kind: address.kind, address, drop: async () => {} });
  const few = await fixture.createFundedAccount(0);
  const many = await fixture.createFundedAccount(0);
  const time = { fromMs, toMs, hasJournal: false };
  await insertBulkCalls(fixture.source, { ...few, count: fewCalls, ...time });
  await insertBulkCalls(fixture.source, { ...many, count: manyCalls, ...time });
  for (const owner of [few, many]) {
    await insertBulkCalls(fixture.source, { ...owner, count: 3, ...time, toMs: fromMs + dayMs, model: rareModel });
  }
  const pages = listPages(new UnitOfWork(fixture.source), fixture);
  const figures: { page: string; few: Spread; many: Spread }[] = [];
  for (const [page, read] of Object.entries(pages)) {
    figures.push({ page, few: await time15(() => read(few)), many: await time15(() => read(many)) });
  }
  await fixture.ledger.close();
  await fixture.source.destroy();
  const head = [title, `ms at ${fewCalls.toLocaleString('en-US')} calls`, `ms at ${manyCalls.toLocaleString('en-US')}`];
  console.log(
    `${showTable(
      head,
      figures.map((row) => [row.page, showSpread(row.few), showSpread(row.many)]),
    )}\n`,
  );
  return { figures };
}

type Owner = { readonly accountId: string; readonly keyId: string };

function listPages(unitOfWork: UnitOfWork, fixture: LedgerFixture) {
  const calls = new CallReader(unitOfWork);
  const usage = new UsageReporter(unitOfWork);
  const latency = new LatencyReporter(unitOfWork);
  const explorer = new Explorer(unitOfWork);
  const explore = ({ accountId }: Owner, metric: ExploreMetric, groupings: readonly UsageDimension[], days = 30) =>
    explorer.explore({
      ...{ accountId, fromMs: toMs - days * dayMs, toMs, bucket: days > 2 ? 'day' : 'hour', metric, groupings },
      ...{ filter: {}, groupsMax: 10, isCompared: true },
    });
  const report = ({ accountId }: Owner, grouping: 'model' | 'api_key') =>
    usage.report({ accountId, fromMs, toMs, bucket: 'day', groupings: [grouping] });
  const list = ({ accountId }: Owner, filter: CallFilter, beforeId: string | null = null) =>
    calls.listCalls(accountId, { first: 25, beforeId, filter });
  const middles = new Map<string, string>();
  const findMiddle = async ({ accountId }: Owner) => {
    const known = middles.get(accountId);
    if (known !== undefined) return known;
    const page = await calls.listCalls(accountId, { first: 1, beforeId: null, filter: { toMs: toMs - 15 * dayMs } });
    const middle = page.items[0]?.callId ?? '';
    middles.set(accountId, middle);
    return middle;
  };
  return {
    'usage of 30 days by model': (owner: Owner) => report(owner, 'model'),
    'usage of 30 days by key': (owner: Owner) => report(owner, 'api_key'),
    'calls, newest page': (owner: Owner) => list(owner, {}),
    'calls, a page in the middle': async (owner: Owner) => list(owner, {}, await findMiddle(owner)),
    'calls of a model': (owner: Owner) => list(owner, { model: 'demo-small' }),
    'calls of a model with three calls, 29 days ago': (owner: Owner) => list(owner, { model: rareModel }),
    'calls that failed': (owner: Owner) => list(owner, { outcome: 'failed' }),
    'calls that were interrupted (none)': (owner: Owner) => list(owner, { outcome: 'interrupted' }),
    'calls of a day and a provider': (owner: Owner) =>
      list(owner, { fromMs: toMs - 10 * dayMs, toMs: toMs - 9 * dayMs, provider: 'openai' }),
    'calls of a model at another provider (none)': (owner: Owner) =>
      list(owner, { model: 'demo-small', provider: 'openai' }),
    'answer times by provider': ({ accountId }: Owner) =>
      latency.report({ accountId, fromMs, toMs, grouping: 'provider' }),
    'explore: cost of 30 days by model and key, beside the 30 before': (owner: Owner) =>
      explore(owner, 'cost', ['model', 'api_key']),
    'explore: times of 30 days by model, beside the 30 before': (owner: Owner) => explore(owner, 'times', ['model']),
    'explore: cost of a day by tag (33,000 calls), beside the day before': (owner: Owner) =>
      explore(owner, 'cost', ['tag'], 1),
    'the database answering 1': () => fixture.source.query('SELECT 1'),
  };
}

async function time15(read: () => Promise<unknown>): Promise<Spread> {
  await read();
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    await read();
    tookMs.push(performance.now() - startMs);
  }
  return spreadOf(tookMs);
}
