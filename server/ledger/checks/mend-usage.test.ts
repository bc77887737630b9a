import type { UnitOfWork } from '../../database/unit-of-work.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end, type FundedAccount } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { findWrongCounters } from './mend-counters.js';
import { type MendStep, UsageMender } from './mend-usage.js';

const hourMs = 3_600_000;
const yesterdayMs = Date.now() - 24 * hourMs;

describeOnEachDatabase('Hours of use that are being mended', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let account: FundedAccount;
  const steps: MendStep[] = [];

  beforeEach(async () => {
    steps.length = 0;
    account = await fixture.createFundedAccount(1_000_000);
    await call();
    await fixture.source.query('UPDATE usage_hour SET calls = 4, charged_millicredits = charged_millicredits + 700');
  });

  async function call(keyRevision = 0, startedAtMs = yesterdayMs): Promise<void> {
    const { callId, status } = await begin(fixture.ledger, account, 500, { startedAtMs, keyRevision });
    expect(status).toBe('held');
    await end(fixture.ledger, account, callId, 300);
  }
  const open = (unitOfWork: UnitOfWork = fixture.unitOfWork) =>
    new UsageMender({ unitOfWork, restPerStep: 0, note: async (_, step) => void steps.push(step) });
  const mend = (mender = open()) => mender.mend(account.accountId, Date.now());
  /** Something happens when what is wrong was read, and before the first of it is mended. */
  const withBetween = (between: () => Promise<unknown>): UnitOfWork => {
    const { unitOfWork } = fixture;
    let isFirst = true;
    return Object.create(unitOfWork, {
      reader: { get: () => unitOfWork.reader },
      transactForServer: {
        value: async (work: Parameters<UnitOfWork['transactForServer']>[0]) => {
          if (isFirst) {
            isFirst = false;
            await between();
          }
          return unitOfWork.transactForServer(work);
        },
      },
    });
  };
  const readCalls = async () =>
    (await fixture.source.query('SELECT calls, charged_millicredits AS charged FROM usage_hour')).map(
      (row: Readonly<Record<string, unknown>>) => [Number(row.calls), Number(row.charged)],
    );

  it('have nothing added twice where another one was quicker', async () => {
    const slower = open(withBetween(() => mend()));
    expect(await mend(slower)).toMatchObject({ hours: 0, left: null });
    expect(steps).toHaveLength(1);
    expect(await readCalls()).toEqual([[1, 300]]);
  });

  it('are read again where a call was booked in them meanwhile', async () => {
    const mender = open(withBetween(() => call()));
    expect(await mend(mender)).toMatchObject({ hours: 1, calls: -3, left: null });
    expect(steps).toHaveLength(1);
    expect(await readCalls()).toEqual([[2, 600]]);
  });

  it('leave no counter that rested on them wrong at any moment', async () => {
    await fixture.limitKey(account, { millicredits: 100_000, period: 'month' });
    // Its counter begins at what the hours say.
    await call(1, yesterdayMs);
    const wrong: unknown[] = [];
    const mender = new UsageMender({
      ...{ unitOfWork: fixture.unitOfWork, restPerStep: 0 },
      note: async (transaction) =>
        void wrong.push(await findWrongCounters(transaction, account.accountId, { first: 10 })),
    });
    expect(await mend(mender)).toMatchObject({ hours: 1, counters: 1 });
    expect(wrong).toEqual([[]]);
  });

  it('are told as changing when they never stay as they were read', async () => {
    let isOver = false;
    const { unitOfWork } = fixture;
    const restless: UnitOfWork = Object.create(unitOfWork, {
      reader: { get: () => unitOfWork.reader },
      transactForServer: {
        value: async (work: Parameters<UnitOfWork['transactForServer']>[0]) => {
          if (!isOver) await call();
          return unitOfWork.transactForServer(work);
        },
      },
    });
    expect(await mend(open(restless))).toMatchObject({ hours: 0, left: 'changes_meanwhile' });
    isOver = true;
    expect(await mend(open(restless))).toMatchObject({ hours: 1, left: null });
  });
});
