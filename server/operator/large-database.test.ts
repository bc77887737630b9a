import { UnitOfWork } from '../database/unit-of-work.js';
import { silentLogger } from '../kernel/logger.js';
import { JournalSummer } from '../ledger/journal/journal-summer.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import { type KnownCustomer, seedCustomers } from '../test/bulk-customers.js';
import { sumTotalsInBulk } from '../test/bulk-totals.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { explainQueries } from '../test/explain-queries.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { fromMs, listExplorations, listOperatorReads, type Reads, toMs } from '../test/sized-reads.js';
import { TotalsSummer } from '../totals/totals-summer.js';

const dayMs = 86_400_000;
/** Two hours are never summed. */
const summedUntilMs = toMs - 2 * 3_600_000;

const showRow = (row: object) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, String(value)]));

describeOnEachDatabase('reads of a large database', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let owner: { accountId: string; keyId: string };
  let known: KnownCustomer;

  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    const { source } = fixture;
    // Two days, so that few hours of the journal are to be summed.
    known = await seedCustomers(source, { accounts: 2_000, calls: 6_000, fromMs: toMs - 2 * dayMs, toMs });
    owner = await fixture.createFundedAccount(0);
    const marks = { tags: 8, endUsers: 20 };
    await insertBulkCalls(source, { ...owner, count: 3_000, fromMs, toMs, marks, hasJournal: false });
    // As the server of a database does by itself after a while; sums of hours are so few that a whole table of them may be read.
    const tables =
      'account, api_key, purchase, notice, operator_event, stripe_event, ledger_transfer, call_record, usage_hour';
    await source.query(source.options.type === 'better-sqlite3' ? 'ANALYZE' : `ANALYZE TABLE ${tables}`);
    await new JournalSummer(new UnitOfWork(source), { nowMs: () => toMs - 1 }).sumUp();
    await sumTotalsInBulk(source, summedUntilMs);
  });
  afterAll(() => fixture.closeUnproven());

  async function findScans(reads: Reads) {
    const found: string[] = [];
    for (const [read, ask] of Object.entries(reads)) {
      const statements = await explainQueries(fixture.source, ask);
      expect([read, statements.length]).not.toEqual([read, 0]);
      found.push(...statements.flatMap(({ scans, sql }) => scans.map((scan) => `${read}: ${scan} by ${sql}`)));
    }
    return found;
  }

  it('no list, search or sum of the operators reads the whole of a table', async () => {
    expect(await findScans(listOperatorReads(fixture.unitOfWork, known))).toEqual([]);
  });

  it('no report of Explore and no page of requests reads the whole of a table', async () => {
    expect(await findScans(listExplorations(fixture.unitOfWork, owner))).toEqual([]);
  });

  it('what is summed in one go here is what the job makes of the same hours', async () => {
    const { source } = fixture;
    const tables = ['usage_total', 'account_month', 'account_part', 'totals_mark'];
    const read = async () => {
      const found: unknown[] = [];
      for (const table of tables) found.push((await source.query(`SELECT * FROM ${table}`)).map(showRow).toSorted());
      return found;
    };
    const inBulk = await read();
    for (const table of tables) await source.query(`DELETE FROM ${table}`);
    const parts = { unitOfWork: new UnitOfWork(source), logger: silentLogger, restPerStep: 0, accountsPerStep: 2_000 };
    const clock = { nowMs: () => toMs - 1 };
    await new TotalsSummer({ ...parts, clock, findPriceVersionAt: async () => 0 }).sumUp();
    expect(await read()).toEqual(inBulk);
  });

  it('a search that no index answers would be seen here', async () => {
    const like = () => fixture.source.query("SELECT id FROM account WHERE email LIKE '%4711%'");
    expect((await explainQueries(fixture.source, like)).flatMap(({ scans }) => scans)).toHaveLength(1);
  });
});
