import type { UnitOfWork } from '../../database/unit-of-work.js';
import { silentLogger } from '../../kernel/logger.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { explainQueries } from '../../test/explain-queries.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { type UsageDimension, UsageReporter } from '../reports/usage-report.js';
import { UsageSummer } from './usage-summer.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstDay = Date.UTC(2026, 4, 1);
const count = 2_400;

describeOnEachDatabase('UsageSummer', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let unitOfWork: UnitOfWork;
  let account: { accountId: string; keyId: string };
  let nowMs = firstDay;
  const newSummer = (logger = silentLogger) =>
    new UsageSummer({ unitOfWork, clock: { nowMs: () => nowMs }, logger, restPerSet: 0 });

  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    unitOfWork = fixture.unitOfWork;
    account = await fixture.createFundedAccount(0);
    const calls = { fromMs: firstDay, toMs: firstDay + 2 * dayMs, marks: { tags: 3, endUsers: 5 }, hasJournal: false };
    await insertBulkCalls(fixture.source, { ...account, ...calls, count });
  });
  afterAll(() => fixture.closeUnproven());

  const listSets = (): Promise<
    readonly { kind: string; span_ms: number; start_ms: unknown; calls: unknown; id: string }[]
  > => fixture.source.query('SELECT * FROM usage_set ORDER BY span_ms, start_ms, kind');
  const ask = (bucket: 'hour' | 'day', groupings: readonly UsageDimension[] = ['tag', 'model']) =>
    new UsageReporter(unitOfWork).report({
      ...{ accountId: account.accountId, fromMs: firstDay, toMs: firstDay + 2 * dayMs, bucket },
      groupings,
    });
  const readPacks = () => fixture.source.query('SELECT * FROM usage_pack ORDER BY set_id, number');
  const sumColumn = async (sql: string) => Number((await fixture.source.query(sql))[0].sum);

  it('sums an hour ten minutes after its end, and a day with its last hour, each once', async () => {
    nowMs = firstDay + hourMs + 9 * 60_000;
    await newSummer().sumUp();
    expect(await listSets()).toEqual([]);
    nowMs = firstDay + hourMs + 10 * 60_000;
    await newSummer().sumUp();
    expect((await listSets()).map(({ kind, span_ms, calls }) => [kind, span_ms, Number(calls)])).toEqual([
      ['both', hourMs, count / 48],
      ['end_user', hourMs, count / 48],
      ['tag', hourMs, count / 48],
    ]);
    const [first] = await listSets();
    nowMs = firstDay + 2 * dayMs + hourMs;
    // Several processes at once, and one of them later again.
    await Promise.all([newSummer().sumUp(), newSummer().sumUp()]);
    await newSummer().sumUp();
    const sets = await listSets();
    expect(sets).toHaveLength(3 * (48 + 2));
    expect(sets[0]?.id).toBe(first?.id);
    // The release before knows one mark at a time.
    const parts = await sumColumn('SELECT SUM(calls) AS sum FROM usage_part');
    expect(parts).toBe(4 * count);
  });

  it('has reports by tag, end user and status read none of the receipts of what was summed', async () => {
    const statements = await explainQueries(fixture.source, async () => {
      for (const groupings of [['tag', 'model'], ['end_user'], ['tag', 'end_user']] as const) {
        expect((await ask('day', groupings)).total.calls).toBe(count);
        expect((await ask('hour', groupings)).total.calls).toBe(count);
      }
    });
    expect(statements.length).toBeGreaterThan(12);
    expect(statements.filter(({ sql }) => sql.includes('call_record'))).toEqual([]);
    expect(statements.flatMap(({ scans }) => scans)).toEqual([]);
  });

  it('has reports read what was summed packed, and packs what a release summed that did not', async () => {
    const readsParts = async () => {
      const statements = await explainQueries(fixture.source, async () => {
        expect((await ask('day')).total.calls).toBe(count);
        expect((await ask('hour')).total.calls).toBe(count);
      });
      return statements.some(({ sql }) => sql.includes('usage_part'));
    };
    const [packed, groups] = [await readPacks(), (await ask('day')).groups];
    expect(await readsParts()).toBe(false);
    await fixture.source.query(
      "DELETE FROM usage_pack WHERE set_id IN (SELECT id FROM usage_set WHERE kind <> 'both')",
    );
    expect(await readsParts()).toBe(true);
    expect((await ask('day')).groups).toEqual(groups);
    await Promise.all([newSummer().sumUp(), newSummer().sumUp()]);
    expect(await readPacks()).toEqual(packed);
    expect(await readsParts()).toBe(false);
    expect((await ask('day')).groups).toEqual(groups);
  });

  it.each([
    ['changed', 'UPDATE usage_pack SET parts = REPLACE(parts, \'"calls":[\', \'"calls":[1\')'],
    ['changed to no text of ours', "UPDATE usage_pack SET parts = 'x'"],
    ['changed to less than a pack', 'UPDATE usage_pack SET parts = \'{"columns":{},"sums":{}}\''],
    ['missing, one of two', 'one'],
    ['doubled', 'INSERT INTO usage_pack SELECT set_id, 1, parts FROM usage_pack'],
  ])('never shows packs that are %s, but reads the receipts, and sums those sets again', async (_, sql) => {
    const right = [(await ask('day')).groups, await readPacks()] as const;
    if (sql === 'one') {
      // Two packs of each set, one of which goes.
      for (const { set_id, parts } of await readPacks()) {
        const pack = JSON.parse(parts);
        for (const column of Object.keys(pack.columns)) pack.columns[column].at.pop();
        for (const sum of Object.keys(pack.sums)) pack.sums[sum].pop();
        await fixture.source.query('UPDATE usage_pack SET parts = ? WHERE set_id = ?', [JSON.stringify(pack), set_id]);
      }
    } else await fixture.source.query(sql);
    expect((await ask('day')).groups).toEqual(right[0]);
    const events: string[] = [];
    const logger = { ...silentLogger, warn: (event: string) => void events.push(event) };
    const summer = newSummer(logger);
    for (let round = 0; round < 3; round += 1) await summer.sumUp();
    expect(new Set(events)).toEqual(new Set(['usage_set_wrong']));
    expect(events).toHaveLength(right[1].length);
    const texts = (packs: readonly { parts: string }[]) => packs.map(({ parts }) => parts).toSorted();
    expect(texts(await readPacks())).toEqual(texts(right[1]));
    expect((await ask('day')).groups).toEqual(right[0]);
  });

  it('reads what is wrong of one day alone in another way: its rows while these are right, and else its receipts', async () => {
    const [right, [wrong]] = [
      await ask('day'),
      await fixture.source.query(
        `SELECT id FROM usage_set WHERE kind = 'tag' AND span_ms = ${dayMs} ORDER BY start_ms LIMIT 1`,
      ),
    ];
    const ofWrong = `WHERE set_id = '${wrong.id}'`;
    const askAndList = async () => {
      const statements = await explainQueries(fixture.source, async () => {
        const { groups, total } = await ask('day');
        expect({ groups, total }).toEqual({ groups: right.groups, total: right.total });
      });
      return (table: string) => statements.filter(({ sql }) => sql.includes(table)).length;
    };
    await fixture.source.query(`UPDATE usage_pack SET parts = 'x' ${ofWrong}`);
    const ofRows = await askAndList();
    expect([ofRows('usage_part'), ofRows('call_record')]).toEqual([1, 0]);
    await fixture.source.query(`UPDATE usage_part SET calls = calls + 1 ${ofWrong} AND number = 0`);
    // Of 1,200 calls, which are one page.
    const ofReceipts = await askAndList();
    expect([ofReceipts('usage_part'), ofReceipts('call_record')]).toEqual([1, 2]);
    for (let round = 0; round < 3; round += 1) await newSummer().sumUp();
    const mended = await askAndList();
    expect([mended('usage_part'), mended('call_record')]).toEqual([0, 0]);
  });

  it('removes packs of no set, which a release leaves behind that does not know them', async () => {
    const packs = await readPacks();
    await fixture.source.query("INSERT INTO usage_pack VALUES ('usage_set_gone', 0, 'x'), ('usage_set_gone', 1, 'x')");
    await newSummer().sumUp();
    expect(await readPacks()).toEqual(packs);
  });

  it('has reports read the receipts of an hour whose set is not what the ledger says, and sums the day again with the next one', async () => {
    const late = {
      fromMs: firstDay + dayMs,
      toMs: firstDay + dayMs + 1_000,
      marks: { tags: 1, endUsers: 1 },
      model: 'late',
    };
    await insertBulkCalls(fixture.source, { ...account, ...late, count: 3, hasJournal: false });
    await fixture.source.query("INSERT INTO usage_late SELECT * FROM usage_hour WHERE model = 'late'");
    expect((await ask('day')).total.calls).toBe(count + 3);
    expect((await ask('hour')).buckets[24]?.sums.calls).toBe(count / 48 + 3);
    const before = await listSets();
    nowMs = firstDay + 3 * dayMs + hourMs;
    await insertBulkCalls(fixture.source, {
      ...account,
      ...late,
      fromMs: nowMs - 2 * hourMs,
      toMs: nowMs - hourMs,
      count: 1,
      hasJournal: false,
    });
    const asked = await explainQueries(fixture.source, () => newSummer().sumUp());
    const isOfHour = ({ sql }: { sql: string }) => sql.includes('FROM usage_hour WHERE hour_ms = ?');
    // Each hour of the day once, and the last one of both days before.
    expect(asked.filter(isOfHour)).toHaveLength(24 + 2);
    const after = await listSets();
    const changed = after.filter(({ id }) => before.every((set) => set.id !== id));
    expect(changed.map(({ kind, span_ms, calls }) => [kind, span_ms, Number(calls)])).toEqual([
      ['both', dayMs, count / 2 + 3],
      ['end_user', dayMs, count / 2 + 3],
      ['tag', dayMs, count / 2 + 3],
    ]);
    expect((await ask('day')).total.calls).toBe(count + 3);
  });

  it('keeps no sum of an hour or day with an expired call, whose receipt may still be replaced', async () => {
    const busy = await fixture.createFundedAccount(0);
    nowMs = firstDay + 5 * dayMs + hourMs;
    const time = { fromMs: nowMs - 2 * hourMs, toMs: nowMs - hourMs, hasJournal: false };
    await insertBulkCalls(fixture.source, { ...busy, ...time, count: 30 });
    await fixture.source.query(
      `UPDATE call_record SET outcome = 'expired' WHERE account_id = '${busy.accountId}' AND charged_millicredits = 0`,
    );
    await newSummer().sumUp();
    expect((await fixture.source.query(`SELECT id FROM usage_set WHERE account_id = '${busy.accountId}'`)).length).toBe(
      0,
    );
  });

  it('keeps hours that no chart shows for days that a time of months begins within: packed, by one mark', async () => {
    for (const days of [10, 12]) {
      nowMs = firstDay + days * dayMs;
      await newSummer().sumUp();
    }
    const sets = await listSets();
    expect(sets.filter(({ span_ms }) => Number(span_ms) === dayMs)).toHaveLength(6);
    const hours = sets.filter(({ span_ms }) => Number(span_ms) === hourMs);
    expect(hours.map(({ kind }) => kind).toSorted()).toEqual([...Array(48).fill('end_user'), ...Array(48).fill('tag')]);
    // Of the days, by each mark; and the three calls that came late.
    expect(await sumColumn('SELECT SUM(calls) AS sum FROM usage_part')).toBe(2 * (count + 3));
    const events: string[] = [];
    for (let round = 0; round < 3; round += 1)
      await newSummer({ ...silentLogger, warn: (event: string) => void events.push(event) }).sumUp();
    expect(events).toEqual([]);
    const cut = { fromMs: firstDay + 5 * hourMs, toMs: firstDay + 2 * dayMs - 7 * hourMs, isExact: true };
    const asked = await explainQueries(fixture.source, async () => {
      const { total } = await new UsageReporter(unitOfWork).report({
        ...{ accountId: account.accountId, bucket: 'day', ...cut },
        groupings: ['end_user'],
      });
      // The hour of the late calls is summed with its day alone, and read from its receipts.
      expect(total.calls).toBe((36 * count) / 48 + 3);
    });
    expect(asked.filter(({ sql }) => sql.includes('call_record'))).toHaveLength(2);
  });

  it('removes hours after 62 days, and all of a month whose receipts were removed, parts and all', async () => {
    nowMs = firstDay + 66 * dayMs;
    await newSummer().sumUp();
    expect((await listSets()).map(({ span_ms }) => Number(span_ms))).toEqual(Array(6).fill(dayMs));
    // The groups of a report by the hour without their buckets, as of the time before: days serve, too.
    const asked = await explainQueries(fixture.source, () =>
      new UsageReporter(unitOfWork).sumGroups({
        ...{ accountId: account.accountId, fromMs: firstDay, toMs: firstDay + 2 * dayMs, bucket: 'hour' },
        groupings: ['tag'],
      }),
    );
    expect(asked.filter(({ sql }) => sql.includes('call_record'))).toEqual([]);
    await fixture.source.query(
      `INSERT INTO sealed_month VALUES ('${account.accountId}', ${firstDay}, ${Date.UTC(2026, 5, 1)}, 1, 0, 0, 0, 0, 0)`,
    );
    await newSummer().sumUp();
    expect(await listSets()).toEqual([]);
    expect(await sumColumn('SELECT COUNT(*) AS sum FROM usage_part')).toBe(0);
    expect(await readPacks()).toEqual([]);
  });
});
