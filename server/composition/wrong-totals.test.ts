import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { findLedgerViolations } from '../ledger/checks/check-ledger.js';
import { LedgerAuditor } from '../ledger/checks/ledger-auditor.js';
import { verifyLedger } from '../ledger/checks/verify-ledger.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, LedgerFixture } from '../test/ledger-fixture.js';
import { dayMs, hourMs } from '../totals/totals-hours.js';
import { TotalsSummer } from '../totals/totals-summer.js';
import { UsageTotalsReader, usageTotalsBy } from '../totals/usage-totals.js';
import { tellOfWrongTotals } from './start-ledger.js';

const february = Date.UTC(2026, 1, 1);
const march = Date.UTC(2026, 2, 1);
const hours = 'the hours of all accounts and what came late of them sum to the hours of each';
const months = 'the months of each account and what came late of them sum to its hours';
const parts = 'the months of each account are the sums of their parts';

/** Which sentence finds it, and what is written. */
const corruptions: readonly (readonly [string, string, string])[] = [
  ['an hour of all accounts that is changed', hours, 'UPDATE usage_total SET calls = calls + 1'],
  ['an hour of all accounts that is missing', hours, `DELETE FROM usage_total WHERE hour_ms >= ${march}`],
  [
    'an hour of all accounts that is doubled',
    hours,
    'UPDATE usage_total SET charged_millicredits = 2 * charged_millicredits',
  ],
  [
    'an hour of all accounts that nobody used',
    hours,
    `INSERT INTO usage_total VALUES (${march}, 'm', 'none', 1, 1, 1, 1, 0)`,
  ],
  [
    'an hour of all accounts that is yet to come',
    hours,
    `INSERT INTO usage_total VALUES (${march + 60 * dayMs}, 'm', 'p', 1, 1, 1, 1, 0)`,
  ],
  ['a late note that is changed', hours, 'UPDATE usage_late SET prompt_tokens = prompt_tokens + 5'],
  [
    'a late note that is doubled',
    months,
    'UPDATE usage_late SET calls = 2 * calls, charged_millicredits = 2 * charged_millicredits',
  ],
  ['a late note that is missing', months, 'DELETE FROM usage_late'],
  ['a month of an account that is changed', months, 'UPDATE account_month SET absorbed_millicredits = 7'],
  ['a month of an account that is missing', months, `DELETE FROM account_month WHERE month_ms = ${february}`],
  [
    'a month of an account that is doubled',
    months,
    `UPDATE account_month SET calls = 2 * calls WHERE month_ms = ${march}`,
  ],
  [
    'months of an account that are exchanged',
    months,
    `UPDATE account_month SET calls = calls + CASE WHEN month_ms = ${march} THEN 1 ELSE -1 END`,
  ],
  ['a part of a month that is changed', parts, 'UPDATE account_part SET completion_tokens = completion_tokens - 1'],
  ['a part of a month that is missing', parts, `DELETE FROM account_part WHERE month_ms = ${february}`],
  ['a part of a month that is doubled', parts, 'UPDATE account_part SET calls = 2 * calls'],
];

describeOnEachDatabase('Sums of use that are wrong', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let unitOfWork: UnitOfWork;
  let summer: TotalsSummer;
  let auditor: LedgerAuditor;
  let right: readonly unknown[];
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const logger = { info: () => {}, warn: note, error: note };
  const clock = new FakeClock();

  beforeAll(async () => {
    unitOfWork = new UnitOfWork(fixture.source);
    const nowMs = march + 3 * dayMs;
    summer = new TotalsSummer({
      ...{ unitOfWork, clock: { nowMs: () => nowMs }, logger, restPerStep: 0, accountsPerStep: 1 },
      findPriceVersionAt: async (atMs) => (atMs < march ? 0 : 1),
    });
    const accounts = [await fixture.createFundedAccount(9_000_000), await fixture.createFundedAccount(9_000_000)];
    const calls = { fromMs: march - dayMs, toMs: march + dayMs, count: 300, hasJournal: true };
    for (const account of accounts) await insertBulkCalls(fixture.source, { ...account, ...calls });
    await summer.sumUp();
    for (const [n, { accountId, keyId }] of accounts.entries()) await bookLate(`call_late_${n}`, accountId, keyId);
    auditor = new LedgerAuditor({
      ...{ verify: (scope, signal) => verifyLedger(fixture.database.address, scope, signal), ledger: fixture.ledger },
      // One that has told nothing yet, as on another day.
      ...{ clock, logger, onBroken: (finding) => tellOfWrongTotals(summer)(finding) },
    });
    right = await readAll();
  });

  async function bookLate(callId: string, accountId: string, keyId: string): Promise<void> {
    await fixture.call({ accountId, keyId }, endingWith(10, 20), { callId, startedAtMs: march + hourMs });
  }

  async function readAll(): Promise<readonly unknown[]> {
    const reader = new UsageTotalsReader({
      unitOfWork,
      listCosts: async () => [{ fromMs: 0, priceVersion: 0, costs: new Map() }],
    });
    const answers = [];
    for (const [fromMs, toMs] of [
      [february, march],
      [march, Date.UTC(2026, 3, 1)],
    ] as const)
      for (const by of usageTotalsBy) answers.push(await reader.read({ fromMs, toMs }, by, 500));
    return answers;
  }
  const findBroken = async () => (await findLedgerViolations(fixture.source.manager)).map(({ invariant }) => invariant);

  it('are none while the books are right', async () => {
    expect(await findBroken()).toEqual([]);
    expect(await fixture.countRows('usage_late')).toBe(2);
    expect(await fixture.countRows('account_month')).toBe(4);
  });

  it.each(corruptions)('as %s, are found by name, and made anew by the next look', async (_, sentence, sql) => {
    await fixture.source.query(sql);
    expect(await findBroken()).toContain(sentence);
    events.length = 0;
    clock.advanceMs(dayMs);
    await auditor.look();
    expect(events).toContain('ledger_invariant_broken');
    await summer.sumUp();
    expect(events).toContain('usage_totals_wrong');
    expect(await findBroken()).toEqual([]);
    expect(await readAll()).toEqual(right);
    clock.advanceMs(dayMs);
    await auditor.look();
    expect(auditor.audit.violations).toBe(0);
  });

  it('because their mark is gone, are not added to', async () => {
    await fixture.source.query('DELETE FROM totals_mark');
    expect(await findBroken()).toContain(hours);
    await Promise.all([summer.sumUp(), summer.sumUp()]);
    await summer.sumUp();
    expect(await findBroken()).toEqual([]);
    expect(await readAll()).toEqual(right);
  });

  it('because hours of a month were away while it was summed, and a person has put them back, are made anew', async () => {
    await fixture.source.query(`CREATE TABLE usage_hour_away AS SELECT * FROM usage_hour WHERE hour_ms < ${march}`);
    await fixture.source.query(`DELETE FROM usage_hour WHERE hour_ms < ${march}`);
    const findAndMakeAnew = async () => {
      clock.advanceMs(dayMs);
      await auditor.look();
      await summer.sumUp();
    };
    await findAndMakeAnew();
    expect(await fixture.countRows('account_month', `month_ms < ${march}`)).toBe(0);
    await fixture.source.query('INSERT INTO usage_hour SELECT * FROM usage_hour_away');
    await fixture.source.query('DROP TABLE usage_hour_away');
    expect(await findBroken()).toContain(hours);
    await findAndMakeAnew();
    expect(await findBroken()).toEqual([]);
    expect(await readAll()).toEqual(right);
  });

  it.each([
    ['changed', 'UPDATE usage_hour SET charged_millicredits = charged_millicredits + 1'],
    ['missing', `DELETE FROM usage_hour WHERE hour_ms >= ${march}`],
    ['doubled', 'UPDATE usage_hour SET calls = 2 * calls'],
  ])('because hours of accounts are %s, are told of by name, and those hours are left to a person', async (_, sql) => {
    await fixture.source.query('CREATE TABLE usage_hour_before AS SELECT * FROM usage_hour');
    await fixture.source.query(sql);
    const broken = await findBroken();
    expect(broken).toContain('the hours of use sum to the receipts, with those of sealed months');
    expect(broken).toContain(hours);
    await fixture.source.query('DELETE FROM usage_hour');
    await fixture.source.query('INSERT INTO usage_hour SELECT * FROM usage_hour_before');
    await fixture.source.query('DROP TABLE usage_hour_before');
    expect(await findBroken()).toEqual([]);
  });
});

describe('Sums of use that are wrong again at once', () => {
  it('are made anew once a day: what they were made of may be what is wrong', () => {
    const asked: number[] = [];
    const tell = tellOfWrongTotals({ sumAgainFrom: (fromMs) => void asked.push(fromMs) });
    const found = {
      verdict: 'broken',
      sentence: hours,
      isAboutAll: true,
      rowCount: 1,
      wallets: [],
      durationMs: 1,
    } as const;
    for (const hour_ms of [march, march, february]) tell({ ...found, rows: [{ hour_ms }] });
    expect(asked).toEqual([march, february]);
  });
});
