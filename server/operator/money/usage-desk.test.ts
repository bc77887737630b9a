import { FakeClock, systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { findLedgerViolations, invariants, liveInvariants } from '../../ledger/checks/check-ledger.js';
import type { AccountMend } from '../../ledger/checks/mend-usage.js';
import { listFaultsOfReceipts } from '../../ledger/checks/receipts-stand.js';
import { journalInvariants } from '../../ledger/checks/sums-invariants.js';
import { verifyLedger } from '../../ledger/checks/verify-ledger.js';
import { JournalSummer } from '../../ledger/journal/journal-summer.js';
import { sealReceipts, sumReceiptsToSeal } from '../../ledger/receipts/seal-receipts.js';
import { CallRecordEntity } from '../../ledger/tables/call-record.entity.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end, type FundedAccount } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { SeededChoices } from '../../test/seeded-choices.js';
import { UsageRun } from '../../test/usage-run.js';
import { TotalsSummer } from '../../totals/totals-summer.js';
import { UsageTotalsReader, usageTotalsBy } from '../../totals/usage-totals.js';
import { OperatorLog } from '../operator-log.js';
import { UsageDesk } from './usage-desk.js';

const seed = Number(process.env.USAGE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = 3;
const reason = 'Found by the auditor';
const everyHold = { leaseMs: -60_000, graceMs: 0 };

describeOnEachDatabase(`Totals of use that are wrong, USAGE_SEED=${seed}`, (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase, everyHold);
  const findBroken = async () => (await findLedgerViolations(fixture.source.manager)).map(({ invariant }) => invariant);

  function openDesk() {
    const { unitOfWork } = fixture;
    return new UsageDesk({
      ...{
        unitOfWork,
        log: new OperatorLog(unitOfWork, systemClock, 'Grace'),
        mender: { restPerStep: 0, rowsAtOnce: 40 },
      },
      findNowMs: async () => Date.now(),
      verify: () => verifyLedger(fixture.database.address),
    });
  }
  const mend = async (accountId: string | null = null, why: string | null = reason) => {
    const accounts: AccountMend[] = [];
    const result = await openDesk().mend({
      accountId,
      reason: why,
      onAccount: (account) => void accounts.push(account),
    });
    return { ...result, found: accounts };
  };
  const openSummer = () =>
    new TotalsSummer({
      ...{ unitOfWork: fixture.unitOfWork, clock: systemClock, logger: silentLogger, restPerStep: 0 },
      findPriceVersionAt: async () => 0,
    });

  it.each(Array.from({ length: runs }, (_, n) => n))(
    'are mended while calls are booked and hours are summed, whatever was wrong; run %i',
    async (n) => {
      const run = await UsageRun.open(fixture, new SeededChoices(seed + n));
      await Promise.all(Array.from({ length: 80 }, () => run.call({ isOld: true })));
      const summer = openSummer();
      await summer.sumUp();
      await Promise.all(Array.from({ length: 20 }, () => run.call({ isOld: true })));
      expect(await findBroken()).toEqual([]);
      for (let left = 12; left > 0; left -= 1) await run.corrupt();
      let isOver = false;
      const callBeside = async () => {
        while (!isOver) await run.call({ isOld: false });
      };
      const callers = [callBeside(), callBeside(), callBeside()];
      const sums = summer.sumUp();
      // Another operator may have the same thought.
      await Promise.all([mend(), mend(), sums]);
      let left = Number.POSITIVE_INFINITY;
      for (let tries = 10; left > 0 && tries > 0; tries -= 1) ({ left } = await mend());
      isOver = true;
      await Promise.all(callers);
      expect(left).toBe(0);
      expect(await findBroken()).toEqual([]);
      const { receipts, hours } = await run.compare();
      expect(hours).toEqual(receipts);
      await summer.sumUp();
      expect(await findBroken()).toEqual([]);
    },
    120_000,
  );

  const hourMs = 3_600_000;
  const readAll = async () => {
    const tables = [
      'usage_hour',
      'usage_late',
      'key_spend',
      'usage_total',
      'account_month',
      'totals_mark',
      'operator_event',
    ];
    const rows = [];
    for (const table of tables) rows.push(await fixture.source.query(`SELECT * FROM ${table} ORDER BY 1, 2`));
    return rows;
  };
  /** An account with calls in an hour of yesterday, one key of which has a limit by the month. */
  async function openCalled(startedAtMs = Date.now() - 24 * hourMs) {
    const account = await fixture.createFundedAccount(1_000_000);
    await fixture.limitKey(account, { millicredits: 100_000, period: 'month' });
    for (let n = 0; n < 5; n += 1) await call(account, startedAtMs);
    return account;
  }
  /** By a key that was changed once. */
  async function call(account: FundedAccount, startedAtMs: number) {
    const { callId, status } = await begin(fixture.ledger, account, 500, { startedAtMs, keyRevision: 1 });
    expect(status).toBe('held');
    await end(fixture.ledger, account, callId, 300);
  }
  const add = (calls: number, accountId: string) =>
    fixture.source.query(
      `UPDATE usage_hour SET calls = calls + ${calls}, charged_millicredits = charged_millicredits + ${calls} WHERE account_id = '${accountId}'`,
    );

  it('are told of each account, with nothing changed, unless a reason is given; a second time nothing is', async () => {
    const [wrong, right] = [await openCalled(), await openCalled()];
    await openSummer().sumUp();
    await add(7, wrong.accountId);
    const before = await readAll();
    const found = { accountId: wrong.accountId, hours: 1, calls: -7, tokens: 0, chargedMillicredits: -7, left: null };
    expect(await mend(null, null)).toMatchObject({ accounts: 1, left: 0, found: [{ ...found, counters: 1 }] });
    expect(await mend(right.accountId, null)).toMatchObject({ accounts: 0, found: [] });
    expect(await readAll()).toEqual(before);
    expect(await mend()).toMatchObject({ accounts: 1, left: 0, found: [found] });
    expect(await findBroken()).toEqual([]);
    const mended = await readAll();
    expect(await mend()).toEqual({ accounts: 0, left: 0, totalsFromMs: null, journalFromMs: null, found: [] });
    expect(await readAll()).toEqual(mended);
    await expect(mend('acct_nobody')).rejects.toMatchObject({ code: 'not_found' });
    const events = await fixture.source.query(
      'SELECT action, account_id, actor, reason FROM operator_event ORDER BY id',
    );
    const event = { action: 'mend_usage', actor: 'Grace', reason };
    expect(events).toEqual([
      { ...event, account_id: wrong.accountId },
      { ...event, account_id: '' },
    ]);
  });

  it('leave as many calls without a cost in reports as there are', async () => {
    const monthMs = Date.UTC(2026, 4, 1);
    const { accountId } = await openCalled(monthMs + hourMs);
    const totals = new UsageTotalsReader({ unitOfWork: fixture.unitOfWork, listCosts: async () => [] });
    const read = () =>
      Promise.all(
        usageTotalsBy.map(async (by) => {
          const { total, groups } = await totals.read({ fromMs: monthMs, toMs: Date.UTC(2026, 5, 1) }, by, 5);
          return [by, total.callsWithoutCost, groups.map(({ callsWithoutCost }) => callsWithoutCost)];
        }),
      );
    const expected = usageTotalsBy.map((by) => [by, 5, [5]]);
    expect(await read()).toEqual(expected);
    // As if the calls had been booked in time, so that what is noted beside the sums has calls alone.
    await fixture.source.query('DELETE FROM usage_late');
    await fixture.source.query(`UPDATE usage_hour SET calls = calls + 7 WHERE account_id = '${accountId}'`);
    await openSummer().sumUp();
    expect(await mend()).toMatchObject({ accounts: 1, left: 0, totalsFromMs: null });
    expect(await fixture.countRows('usage_late', 'calls = -7 AND prompt_tokens = 0')).toBe(1);
    expect(await read()).toEqual(expected);
  });

  it('need no new sums of all accounts where these were made of what was wrong', async () => {
    const { accountId } = await openCalled();
    await add(7, accountId);
    await openSummer().sumUp();
    expect(await mend()).toMatchObject({ accounts: 1, left: 0, totalsFromMs: null });
    expect(await findBroken()).toEqual([]);
    expect(await fixture.countRows('usage_total')).toBe(1);
  });

  it('of the journal by hours are told, taken back with a line of the log, and made anew', async () => {
    await openCalled();
    const nowMs = Date.now() + 2 * hourMs;
    const sumJournal = () => new JournalSummer(fixture.unitOfWork, new FakeClock(nowMs)).sumUp();
    await sumJournal();
    const read = () => fixture.source.query('SELECT * FROM ledger_hour ORDER BY hour_ms');
    const right = await read();
    await fixture.source.query('UPDATE ledger_hour SET charged = charged + 5');
    const [broken] = Object.keys(journalInvariants);
    expect(await findBroken()).toEqual([broken]);
    const wrong = await read();
    const journalFromMs = Number(right[0]?.hour_ms);
    expect(await mend(null, null)).toMatchObject({ accounts: 0, totalsFromMs: null, journalFromMs });
    expect(await read()).toEqual(wrong);
    expect(await mend()).toMatchObject({ accounts: 0, journalFromMs });
    expect(await findBroken()).toEqual([]);
    expect(await mend()).toMatchObject({ accounts: 0, journalFromMs: null });
    await sumJournal();
    expect(await read()).toEqual(right);
    expect(await fixture.source.query('SELECT action, subject, actor, reason FROM operator_event')).toEqual([
      { action: 'mend_usage', subject: 'journal', actor: 'Grace', reason },
    ]);
  });

  it('are made anew from no receipt that is wrong itself, and what is broken is named', async () => {
    const { accountId } = await openCalled();
    const spoilt = `SET charged_millicredits = charged_millicredits - 1 WHERE account_id = '${accountId}'`;
    await fixture.source.query(`UPDATE call_record ${spoilt}`);
    const before = await readAll();
    await expect(mend()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('a receipt is tokens times price'),
    });
    expect(await readAll()).toEqual(before);
    await fixture.source.query(
      `UPDATE call_record SET charged_millicredits = prompt_tokens + completion_tokens WHERE account_id = '${accountId}'`,
    );
  });

  it('wait, with all of their account, until their hour began two hours ago', async () => {
    const { accountId } = await openCalled(Date.now() - hourMs);
    await add(3, accountId);
    const before = await readAll();
    expect(await mend()).toMatchObject({ accounts: 1, left: 1, found: [{ hours: 0, counters: 0, left: 'too_young' }] });
    expect(await readAll()).toEqual(before);
    await add(-3, accountId);
  });

  it('of a month whose receipts were removed are told, and left; those of other months are mended', async () => {
    const longAgoMs = Date.now() - 200 * 24 * hourMs;
    const account = await openCalled(longAgoMs);
    const { accountId } = account;
    await call(account, Date.now() - 24 * hourMs);
    const { unitOfWork } = fixture;
    const old = await fixture.source.manager.find(CallRecordEntity, { where: { startedAtMs: longAgoMs } });
    const sealed = await sumReceiptsToSeal(fixture.source.manager, old);
    expect(sealed.receipts.length).toBe(5);
    await unitOfWork.transactForServer((transaction) => sealReceipts(transaction, sealed));
    expect(await findBroken()).toEqual([]);
    expect(await mend()).toMatchObject({ accounts: 0, left: 0 });
    await add(2, accountId);
    const found = { hours: 1, calls: -2, left: 'receipts_removed' };
    expect(await mend()).toMatchObject({ accounts: 1, left: 1, found: [found] });
    const read = () =>
      fixture.source
        .query('SELECT calls FROM usage_hour ORDER BY hour_ms')
        .then((rows: { calls: unknown }[]) => rows.map(({ calls }) => Number(calls)));
    expect(await read()).toEqual([7, 1]);
    const rest = ['a sealed month and what is left of its receipts are what its hours of use say'];
    expect(await findBroken()).toEqual(expect.arrayContaining(rest));
    await fixture.source.query(
      `UPDATE usage_hour SET calls = 5, charged_millicredits = charged_millicredits - 2 WHERE hour_ms <= ${longAgoMs}`,
    );
    await mend();
  });
});

describe('The proof that receipts stand', () => {
  it('passes over sentences that there are, and none else', () => {
    const broken = (sentences: readonly string[]) =>
      listFaultsOfReceipts({
        ...{ durationMs: 0, rowCounts: {} },
        findings: sentences.map((sentence) => ({
          ...{
            sentence,
            verdict: 'broken' as const,
            isAboutAll: true,
            rowCount: 1,
            rows: [],
            wallets: [],
            durationMs: 0,
          },
        })),
      });
    const all = [...Object.keys(invariants), ...Object.keys(liveInvariants)];
    expect(all.length - broken(all).length).toBe(9);
  });
});
