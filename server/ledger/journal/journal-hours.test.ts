import { mock } from 'node:test';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { MoneyDesk } from '../../operator/money/money-desk.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { LedgerTraffic } from '../../test/ledger-traffic.js';
import { SeededChoices } from '../../test/seeded-choices.js';
import { UsageTotalsReader } from '../../totals/usage-totals.js';
import { JournalHours, type JournalHoursOptions } from './journal-hours.js';
import { dayMs, hourMs } from './journal-rows.js';
import { JournalSummer } from './journal-summer.js';
import { type JournalSums, netOf, noSums } from './journal-sums.js';

interface Row {
  readonly id: string;
  readonly type: string;
  readonly wallet: string;
  readonly credit_account: string;
  readonly amount: number;
  readonly at_ms: number;
}

// Said once more in other words than the statements use.
function kindOf({ id, type, wallet, credit_account: to }: Row): keyof JournalSums | null {
  if (type === 'purchase') return 'sales';
  if (type === 'grant') return id.startsWith('grant:operator:') ? 'grants' : 'gifts';
  if (type === 'refund') return 'refunds';
  if (type === 'dispute') return 'disputes';
  if (type === 'dispute_reversal') return 'disputesReturned';
  if (type === 'adjustment' && to !== wallet) return 'takenBack';
  if (type === 'adjustment') return id.startsWith('refund:') ? 'refundsReturned' : 'added';
  if (type === 'absorbed') return 'absorbed';
  return ['hold', 'released'].includes(type) ? null : 'charged';
}

const beginMs = Date.UTC(2026, 8, 1);
const nowMs = Date.UTC(2026, 9, 14, 13, 20);

describeOnEachDatabase('The journal by days', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase, { leaseMs: -1_000, graceMs: 0 });
  let traffic: LedgerTraffic;
  let rows: readonly Row[];
  let unitOfWork: UnitOfWork;
  const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? 20_261_123);
  const choices = new SeededChoices(seed);

  beforeAll(async () => {
    unitOfWork = fixture.unitOfWork;
    traffic = await LedgerTraffic.open(fixture, 3);
    await traffic.run(90, 8);
    await moveByHand();
    // So that a month has days, and hours with and without rows; some stand exactly where an hour or a day begins.
    for (const verb of ['update', 'delete'])
      await fixture.source.query(`DROP TRIGGER IF EXISTS ledger_transfer_refuses_${verb}`);
    const journal = await fixture.source.query('SELECT wallet, wallet_seq FROM ledger_transfer');
    for (const [index, { wallet, wallet_seq: seq }] of journal.entries()) {
      // The tenth day has one in any case.
      const at = beginMs + (index === 0 ? 9 * dayMs + 5 * hourMs : choices.below(nowMs - beginMs));
      const hourEndMs = Math.min(at - (at % hourMs) + hourMs, nowMs);
      const atMs = index === 0 ? at : choices.oneOf([at, at, at, at - (at % dayMs), hourEndMs - 1]);
      await fixture.source.query(
        `UPDATE ledger_transfer SET at_ms = ${atMs} WHERE wallet = '${wallet}' AND wallet_seq = ${seq}`,
      );
    }
    const found: Row[] = await fixture.source.query('SELECT * FROM ledger_transfer');
    rows = found.map((row) => ({ ...row, amount: Number(row.amount), at_ms: Number(row.at_ms) }));
  }, 60_000);

  /** What neither calls nor purchases write. */
  async function moveByHand(): Promise<void> {
    const { ledger } = fixture;
    for (const [n, { accountId }] of traffic.accounts.entries()) {
      const move = (transferId: string, amount: number) => ({
        ...{ transferId: `${transferId}:${n}`, accountId, amountMillicredits: toMillicredits(amount + n) },
      });
      await ledger.grantCredits({ ...move('grant:operator:x', 70_007), type: 'grant' });
      await ledger.reverseGrant({ ...move('adjustment:operator:x', 30_003), type: 'adjustment' });
      await ledger.grantCredits({ ...move('correction:x', 11), type: 'adjustment' });
      await ledger.reverseGrant({ ...move('refund:x', 5_001), type: 'refund' });
      await ledger.grantCredits({ ...move('refund:y', 3_001), type: 'adjustment' });
      await ledger.reverseGrant({ ...move('dispute:x', 9_001), type: 'dispute' });
      await ledger.grantCredits({ ...move('dispute:y', 4_001), type: 'dispute_reversal' });
    }
  }

  const openDesk = (atMs: number, options: JournalHoursOptions = {}) => {
    const journal = new JournalHours(unitOfWork, new FakeClock(atMs), options);
    const summer = new JournalSummer(unitOfWork, new FakeClock(atMs));
    const desk = new MoneyDesk(journal, new UsageTotalsReader({ unitOfWork, listCosts: async () => [] }));
    return { journal, summer, desk };
  };
  const noRows = { recentRowsMax: 0 };
  /** What is owed, in other words than the journal's. */
  async function readWallets() {
    const [row] = await fixture.source.query(
      'SELECT SUM(credits_posted - debits_posted) AS posted FROM ledger_account',
    );
    return { total: BigInt(row.posted), unbookedUse: 0n };
  }
  /** Whether an hour that was over for long enough has rows behind what is summed. */
  const hasUnsummedHour = (summedUntilMs: number, atMs: number) =>
    rows.some(({ at_ms: rowMs }) => rowMs >= summedUntilMs && rowMs - (rowMs % hourMs) + hourMs <= atMs - 15 * 60_000);
  const sumOf = (fromMs: number, toMs: number): JournalSums => {
    const sums: Record<string, bigint> = { ...noSums };
    for (const row of rows) {
      const kind = row.at_ms >= fromMs && row.at_ms < toMs ? kindOf(row) : null;
      if (kind !== null) sums[kind] = (sums[kind] ?? 0n) + BigInt(row.amount);
    }
    return sums as unknown as JournalSums;
  };

  it('after an upgrade, while hours are still to be summed, says up to where, what was before, and what is owed now', async () => {
    const untilMs = beginMs + 9 * dayMs + 20 * hourMs;
    // A process that sums no further: the time that whoever asks gives to it is over before it begins.
    const timeout = mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
    try {
      const { desk, journal } = openDesk(nowMs, noRows);
      const range = { fromMs: beginMs, toMs: beginMs + 30 * dayMs };
      const empty = { days: [], sums: noSums, opening: 0n, closing: 0n, summedUntilMs: 0 };
      expect(await desk.report(range)).toMatchObject(empty);
      await openDesk(untilMs).summer.sumUp();
      const { days, opening, closing, sums, summedUntilMs } = await desk.report(range);
      expect(summedUntilMs).toBeGreaterThan(beginMs + 9 * dayMs);
      expect(summedUntilMs).toBeLessThanOrEqual(untilMs);
      expect(days).toHaveLength(10);
      const known = Number(summedUntilMs);
      expect([opening, closing]).toEqual([netOf(sumOf(0, beginMs)), netOf(sumOf(0, known))]);
      expect(sums).toEqual(sumOf(beginMs, known));
      const summed = await desk.report({ fromMs: beginMs, toMs: beginMs + 4 * dayMs });
      expect([summed.summedUntilMs, summed.days.length]).toEqual([null, 4]);
      const later = await desk.report({ fromMs: beginMs + 20 * dayMs, toMs: beginMs + 21 * dayMs });
      expect(later).toMatchObject({ days: [], sums: noSums, opening: netOf(sumOf(0, known)) });
      expect(await journal.findLiability()).toEqual({ ...(await readWallets()), summedUntilMs: null });
      await expect(desk.writeClose('2026-09')).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      timeout.mock.restore();
    }
  });

  it(`sums every range of days to the millicredit, whatever of it was summed before, of several readers at once, seed ${seed}`, async () => {
    expect(Object.values(sumOf(0, nowMs)).filter((amount) => amount === 0n)).toEqual([]);
    for (const atMs of [beginMs + 9 * dayMs + 1, beginMs + 20 * dayMs + 5 * hourMs, nowMs]) {
      const summers = Array.from({ length: 3 }, () => openDesk(atMs).summer);
      await Promise.all(summers.map((summer) => summer.sumUp()));
      for (let round = 0; round < 8; round += 1) {
        const fromMs = beginMs + choices.below(40) * dayMs;
        const toMs = fromMs + (1 + choices.below(40)) * dayMs;
        if (fromMs > atMs) continue;
        const { sums, opening, closing, days } = await openDesk(atMs).desk.report({ fromMs, toMs });
        const endMs = Math.min(toMs, Math.ceil(atMs / dayMs) * dayMs);
        expect(sums).toEqual(sumOf(fromMs, endMs));
        expect([opening, closing]).toEqual([netOf(sumOf(0, fromMs)), netOf(sumOf(0, endMs))]);
        expect(days.map(({ sums: ofDay }) => ofDay)).toEqual(days.map(({ dayMs: day }) => sumOf(day, day + dayMs)));
      }
    }
  }, 60_000);

  it(`with many rows that are not summed, money and liability are of the end of the last hour that is, and a close has all of them, seed ${seed}`, async () => {
    for (let round = 0; round < 6; round += 1) {
      // A row of an hour that is not over for long enough to be summed.
      const atMs = choices.oneOf(rows.filter(({ at_ms: rowMs }) => rowMs > beginMs + dayMs)).at_ms + 600_000;
      await fixture.source.query(`DELETE FROM ledger_hour WHERE hour_ms >= ${atMs - dayMs}`);
      // In parts, as hours of many rows are.
      await new JournalSummer(unitOfWork, new FakeClock(atMs), { partRowsMax: 0 }).sumUp();
      const { desk, journal } = openDesk(atMs, noRows);
      const dayBegin = atMs - (atMs % dayMs);
      const monthBegin = Date.UTC(2026, new Date(atMs).getUTCMonth());
      for (const fromMs of [beginMs, monthBegin, dayBegin]) {
        const report = await desk.report({ fromMs, toMs: dayBegin + dayMs });
        const knownMs = Number(report.summedUntilMs);
        expect([knownMs > 0, knownMs % hourMs, hasUnsummedHour(knownMs, atMs)]).toEqual([true, 0, false]);
        expect(report.sums).toEqual(sumOf(fromMs, Math.max(fromMs, knownMs)));
        expect(report.closing).toBe(netOf(sumOf(0, knownMs)));
        expect(report.days.at(-1)?.closing ?? report.opening).toBe(report.closing);
        const isRecent = knownMs > atMs - 6 * hourMs;
        const owed = { total: report.closing, unbookedUse: 0n, summedUntilMs: knownMs };
        expect(await journal.findLiability()).toEqual(
          isRecent ? owed : { ...(await readWallets()), summedUntilMs: null },
        );
      }
      const lines = (await desk.writeClose(new Date(atMs).toISOString().slice(0, 7))).trimEnd().split('\r\n');
      const closingAt = String(lines[0]).split(',').indexOf('closing');
      const closing = String(lines.at(-1)).split(',')[closingAt]?.replace('.', '');
      expect(BigInt(String(closing))).toBe(netOf(sumOf(0, dayBegin + dayMs)));
    }
    await openDesk(nowMs).summer.sumUp();
  }, 60_000);

  it('no hour is summed that the ledger may still write into, though the clock of the machine is far ahead', async () => {
    await fixture.source.query('DELETE FROM ledger_hour');
    const [{ at_ms: firstMs }] = await fixture.source.query('SELECT MIN(at_ms) AS at_ms FROM ledger_transfer');
    const overMs = Number(firstMs) - (Number(firstMs) % hourMs) + hourMs + 15 * 60_000;
    const sumAt = (atMs: number) =>
      new JournalSummer(unitOfWork, new FakeClock(nowMs), { findNowMs: async () => atMs }).sumUp();
    await sumAt(overMs - 1);
    expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(0);
    await sumAt(overMs);
    expect(await fixture.countRows('ledger_hour', '1 = 1')).toBe(1);
    await openDesk(nowMs).summer.sumUp();
  });

  it('an answer about many rows does not wait until hours are summed', async () => {
    const summing = mock.method(JournalSummer.prototype, 'sumForAWhile', () => new Promise<never>(() => {}));
    await fixture.source.query('DELETE FROM ledger_hour');
    const { desk, journal } = openDesk(nowMs, noRows);
    try {
      expect(await desk.report({ fromMs: beginMs, toMs: beginMs + dayMs })).toMatchObject({ summedUntilMs: 0 });
      expect(await journal.findLiability()).toMatchObject(await readWallets());
      expect(summing.mock.callCount()).toBe(2);
    } finally {
      summing.mock.restore();
      await openDesk(nowMs).summer.sumUp();
    }
  });

  it('with few rows that are not summed, money and liability have them, and nobody waits for an hour to be summed', async () => {
    const before = await fixture.countRows('ledger_hour');
    const { desk, journal } = openDesk(nowMs + 100 * dayMs);
    const { closing, summedUntilMs } = await desk.report({ fromMs: beginMs, toMs: beginMs + 92 * dayMs });
    expect([closing, summedUntilMs]).toEqual([netOf(sumOf(0, nowMs)), null]);
    expect(await journal.findLiability()).toEqual({ ...(await readWallets()), summedUntilMs: null });
    expect(await fixture.countRows('ledger_hour')).toBe(before);
    await fixture.source.query('DELETE FROM ledger_hour');
    expect((await desk.report({ fromMs: beginMs, toMs: beginMs + 92 * dayMs })).closing).toBe(closing);
    expect(await fixture.countRows('ledger_hour')).toBe(0);
    await openDesk(nowMs).summer.sumUp();
  });

  it('comes to what the wallets have, and keeps no hour that is not over', async () => {
    const { total, unbookedUse } = await readWallets();
    const { journal, desk } = openDesk(nowMs);
    expect(await journal.findLiability()).toEqual({ total, unbookedUse, summedUntilMs: null });
    const { closing } = await desk.report({ fromMs: beginMs, toMs: beginMs + 92 * dayMs });
    expect(closing).toBe(total);
    const [last] = await fixture.source.query('SELECT MAX(hour_ms) AS hour_ms, COUNT(*) AS hours FROM ledger_hour');
    expect(Number(last.hour_ms)).toBeLessThanOrEqual(nowMs - hourMs);
    expect(Number(last.hours)).toBeGreaterThan(20);
  });

  it('closes a month in lines that each add up, and in all come to the ledger', async () => {
    const { desk } = openDesk(nowMs);
    const [header = '', ...lines] = (await desk.writeClose('2026-09')).trimEnd().split('\r\n');
    const names = header.split(',');
    const table = lines.map((line) => line.split(','));
    expect(table.map(([day]) => day)).toEqual([
      ...Array.from({ length: 30 }, (_, day) => `2026-09-${String(day + 1).padStart(2, '0')}`),
      'total',
    ]);
    const figures = table.map((line) => line.slice(1).map((text) => BigInt(text.replace('.', ''))));
    const closingAt = names.indexOf('closing') - 1;
    let before = 0n;
    for (const line of figures.slice(0, -1)) {
      expect(line[0]).toBe(before);
      expect(line.slice(0, closingAt).reduce((sum, amount) => sum + amount, 0n)).toBe(line[closingAt]);
      before = line[closingAt] ?? -1n;
    }
    const total = figures.at(-1) ?? [];
    expect([total[0], total[closingAt]]).toEqual([0n, before]);
    expect(before).toBe(netOf(sumOf(0, Date.UTC(2026, 9, 1))));
    expect(total[names.indexOf('usage') - 1]).toBe(-sumOf(0, Date.UTC(2026, 9, 1)).charged);
    await expect(desk.writeClose('2026-13')).rejects.toMatchObject({ code: 'invalid_value' });
    await expect(desk.writeClose('2027-01')).rejects.toMatchObject({ code: 'invalid_value' });
    const tooLong = { fromMs: beginMs, toMs: beginMs + 93 * dayMs };
    await expect(desk.report(tooLong)).rejects.toMatchObject({ code: 'invalid_value' });
  });

  it('divides the use of all accounts by model, provider, account and day, each in sum what the receipts say', async () => {
    const { desk } = openDesk(nowMs);
    const [receipts] = await fixture.source.query(
      `SELECT COUNT(*) AS calls, SUM(prompt_tokens) AS promptTokens, SUM(completion_tokens) AS completionTokens,
        SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed FROM call_record`,
    );
    // The fixture's calls begin in the first millisecond that there is.
    const range = { fromMs: 0, toMs: dayMs };
    const sums = ['calls', 'promptTokens', 'completionTokens', 'charged', 'absorbed'] as const;
    for (const by of ['model', 'provider', 'account', 'day'] as const) {
      const { total, groups, otherGroups } = await desk.readUsage(range, by, 2);
      expect(sums.map((name) => Number(total[name]))).toEqual(sums.map((name) => Number(receipts[name])));
      expect(groups.length + otherGroups).toBe(by === 'account' ? 3 : groups.length);
    }
    const { charged } = sumOf(0, nowMs);
    expect((await desk.readUsage(range, 'day', 500)).total.charged).toBe(charged);
  });

  it('reads journal and use by their time, never all of them', async () => {
    const isSqlite = fixture.database.kind === 'sqlite';
    for (const [sql, index] of [
      ['SELECT SUM(amount) FROM ledger_transfer WHERE at_ms >= 1 AND at_ms < 2', 'ix_ledger_transfer_time'],
      ['SELECT MIN(at_ms) FROM ledger_transfer WHERE at_ms >= 1', 'ix_ledger_transfer_time'],
      ['SELECT SUM(calls) FROM usage_hour WHERE hour_ms >= 1 AND hour_ms < 2', 'ix_usage_hour_time'],
    ] as const) {
      const plan = JSON.stringify(await fixture.source.query(`${isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`));
      expect(plan).toMatch(isSqlite ? index : new RegExp(`${index}|optimized away|no matching|before execution`, 'i'));
    }
  });
});
