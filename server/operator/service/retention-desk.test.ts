import type { DataSource } from 'typeorm';
import { createDataSource } from '../../database/data-source.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { silentLogger } from '../../kernel/logger.js';
import { CallRetention } from '../../ledger/receipts/call-retention.js';
import { ReceiptRetention } from '../../ledger/receipts/receipt-retention.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';

const dayMs = 86_400_000;
const read =
  'dataRetention { receiptDays choice { days createdBy } next { days reason } oldestReceiptAt isExported others { what days } }';

interface Standing {
  readonly dataRetention: {
    readonly receiptDays: number | null;
    readonly choice: { readonly days: number | null; readonly createdBy: string } | null;
    readonly next: { readonly days: number | null; readonly reason: string } | null;
    readonly oldestReceiptAt: string | null;
    readonly isExported: boolean;
    readonly others: readonly { readonly what: string; readonly days: number | null }[];
  };
}

describeOnEachDatabase('For how long receipts are kept', (openTestDatabase) => {
  let of: FactorApp;
  let owner: TestOperator;
  let source: DataSource;

  beforeEach(async () => {
    const database = await openTestDatabase();
    of = await FactorApp.start(database, Date.now(), { RETENTION_DAYS: '400' });
    source = await createDataSource(database.address, { entities, migrations }).initialize();
    owner = await TestOperator.join(of, 'owner');
  }, 60_000);
  afterEach(async () => {
    await source.destroy();
    await of.close();
  });

  const choose = async (days: number | null, reason = 'A test') => {
    await owner.prove();
    return reasonOf(await owner.change('setReceiptRetention(input: $retention)', { retention: { days, reason } }));
  };
  const find = async () => answerOf<Standing>(await owner.ask(read)).dataRetention;
  const seal = async () => {
    const unitOfWork = new UnitOfWork(source);
    const rule = new ReceiptRetention(unitOfWork, of.clock, 400);
    const findDays = () => rule.findDays();
    const findNeeded = async () => new Set<string>();
    const parts = { unitOfWork, clock: of.clock, logger: silentLogger, keep: null, isOneWriter: false };
    const findTime = async () => ({ nowMs: of.clock.nowMs(), provenMs: of.clock.nowMs() });
    return new CallRetention({ ...parts, findDays, findNeeded, findTime }).sealDue();
  };
  const call = async () => {
    const { secret, sessionToken } = await of.app.createAccount(5);
    const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };
    expect((await of.app.call(secret, body)).status).toBe(200);
    return sessionToken;
  };

  it('is what RETENTION_DAYS says until an operator chooses, and the page lists what else is stored', async () => {
    expect(await find()).toMatchObject({ receiptDays: 400, choice: null, next: null, oldestReceiptAt: null });
    const sessionToken = await call();
    const standing = await find();
    expect(Math.abs(Date.parse(String(standing.oldestReceiptAt)) - of.clock.nowMs())).toBeLessThan(60_000);
    expect(standing.isExported).toBe(false);
    expect(standing.others.find(({ what }) => what === 'Refused requests')?.days).toBe(30);
    expect(await choose(800)).toBe('done');
    expect(await find()).toMatchObject({ receiptDays: 800, choice: { days: 800 }, next: null });
    const shown = await of.app.graphql('{ viewer { receiptsKeptDays } }', {}, sessionToken);
    expect(shown).toEqual({ viewer: { receiptsKeptDays: 800 } });
  });

  it('becomes shorter after 24 hours, in which another choice takes its place', async () => {
    expect(await choose(100, 'A mistake')).toBe('done');
    expect(await find()).toMatchObject({ receiptDays: 400, choice: null, next: { days: 100, reason: 'A mistake' } });
    of.clock.advanceMs(dayMs / 2);
    owner = await TestOperator.join(of, 'owner');
    expect(await choose(300)).toBe('done');
    of.clock.advanceMs(dayMs / 2 + 1);
    owner = await TestOperator.join(of, 'owner');
    // The first choice would be in force by now.
    expect(await find()).toMatchObject({ receiptDays: 400, next: { days: 300 } });
    of.clock.advanceMs(dayMs / 2);
    owner = await TestOperator.join(of, 'owner');
    expect(await find()).toMatchObject({ receiptDays: 300, choice: { days: 300 }, next: null });
    expect(await choose(200)).toBe('done');
    expect(await choose(null)).toBe('done');
    expect(await find()).toMatchObject({ receiptDays: null, choice: { days: null }, next: null });
    expect(await of.app.query('SELECT days FROM receipt_retention')).toEqual([{ days: null }]);
  });

  it('is what removes them: none before a shorter time is in force, none once they are kept for ever', async () => {
    await call();
    of.clock.advanceMs(200 * dayMs);
    owner = await TestOperator.join(of, 'owner');
    expect(await seal()).toBe(0);
    expect(await choose(100)).toBe('done');
    expect(await seal()).toBe(0);
    of.clock.advanceMs(dayMs + 1);
    owner = await TestOperator.join(of, 'owner');
    expect(await choose(null)).toBe('done');
    expect(await seal()).toBe(0);
    expect(await choose(100)).toBe('done');
    of.clock.advanceMs(dayMs + 1);
    expect(await seal()).toBe(1);
  });

  it('is 62 days at least, is chosen by owners with a reason, and every choice stands in the log', async () => {
    for (const days of [61, 0, -1, 36_501]) expect([days, await choose(days)]).toEqual([days, 'invalid_value']);
    expect(await choose(90, ' ')).toBe('invalid_value');
    const finance = await TestOperator.join(of, 'finance');
    await finance.prove();
    const refused = await finance.change('setReceiptRetention(input: $retention)', {
      retention: { days: 90, reason: 'Too much' },
    });
    expect(reasonOf(refused)).toBe('forbidden');
    expect(await of.app.query('SELECT days FROM receipt_retention')).toEqual([]);
    expect(await choose(62)).toBe('done');
    expect(await choose(null)).toBe('done');
    const events = await of.app.query(
      `SELECT subject, reason FROM operator_event WHERE action = 'set_receipt_retention' ORDER BY id`,
    );
    expect(events).toEqual([
      { subject: '62 days', reason: 'A test' },
      { subject: 'for ever', reason: 'A test' },
    ]);
  });
});
