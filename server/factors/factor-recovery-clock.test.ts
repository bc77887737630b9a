import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import type { FactorNotices } from './factor-notices.js';
import { FactorRecovery } from './factor-recovery.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('The 72 hours before all factors go', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let accountId: string;

  beforeEach(async () => {
    // As the ledger's rows.
    clock = new FakeClock(Date.now());
    accountId = (await fixture.createFundedAccount(500_000)).accountId;
  });

  /** What a process makes at its start, which has watched no clock. */
  const start = async (unitOfWork: UnitOfWork = fixture.unitOfWork) => {
    const time = new ProvenTime(fixture.unitOfWork, clock, async () => clock.nowMs());
    await time.read();
    const composed = async () => async () => {};
    const notices = { compose: composed, composeLink: composed } as unknown as FactorNotices;
    const findBelievedMs = async () => (await time.read()).believedMs;
    const publicUrl = 'http://tollgate.test';
    const openCounter = openMemoryCounter;
    return new FactorRecovery({ unitOfWork, clock, notices, openCounter, publicUrl, findBelievedMs });
  };
  const mailLink = async () => {
    const tokenHash = createHash('sha256').update('token').digest('hex');
    const row = { accountId, linkId: 'facrec_1', tokenHash, linkEndsAtMs: clock.nowMs() + hourMs, dueAtMs: null };
    await fixture.source.manager.insert('factor_recovery', row);
  };
  const beginWait = async (recovery: FactorRecovery) => {
    await mailLink();
    return recovery.start('token');
  };

  it('are not over because the clock is ahead for less than a day, also for a process that begins then', async () => {
    const recovery = await start();
    await beginWait(recovery);
    clock.setWallMs(clock.nowMs() + 31 * dayMs);
    const second = await start();
    for (let hour = 0; hour < 24; hour += 4) {
      for (const one of [recovery, second, await start()]) expect(await one.completeIfDue(accountId)).toBe(false);
      clock.advanceMs(4 * hourMs);
    }
    clock.setWallMs(clock.nowMs() - 31 * dayMs);
    expect(await recovery.cancel(accountId)).toBe(true);
  });

  it('are over on time where a process has watched the clock for a day, and within 96 hours of its own else', async () => {
    const recovery = await start();
    await beginWait(recovery);
    clock.advanceMs(72 * hourMs - 1);
    expect(await recovery.completeIfDue(accountId)).toBe(false);
    clock.advanceMs(1);
    const second = await start();
    expect(await second.completeIfDue(accountId)).toBe(false);
    clock.advanceMs(dayMs);
    expect(await second.completeIfDue(accountId)).toBe(true);
    await beginWait(recovery);
    clock.advanceMs(72 * hourMs);
    expect(await recovery.completeIfDue(accountId)).toBe(true);
  });

  it('begin anew where they were begun on a clock that was ahead and is set right, and are not over at once', async () => {
    clock.setWallMs(clock.nowMs() + 31 * dayMs);
    const recovery = await start();
    await beginWait(recovery);
    clock.setWallMs(clock.nowMs() - 31 * dayMs);
    expect(await recovery.completeIfDue(accountId)).toBe(false);
    expect(await recovery.findDue(accountId)).toBe(clock.nowMs() + 72 * hourMs);
  });

  it('are not lost where another link is asked for at the moment in which they begin: the earlier link is refused, or the request', async () => {
    const recovery = await start();
    const app = { accountId, sealedSecret: 'sealed', createdAtMs: 1, confirmedAtMs: 1, lastStep: 0 };
    await fixture.source.manager.insert('authenticator_app', app);
    await mailLink();
    let begun: Promise<boolean> = Promise.resolve(false);
    const { unitOfWork } = fixture;
    /** Opens the earlier link once it was read whether a wait runs. */
    const watch = (transaction: EntityManager) =>
      new Proxy(transaction, {
        get: (target, name) => {
          const method = Reflect.get(target, name);
          if (name !== 'findOneBy') return typeof method === 'function' ? method.bind(target) : method;
          return async (...asked: unknown[]) => {
            const found = await method.apply(target, asked);
            begun = recovery.start('token').then(
              () => true,
              () => false,
            );
            await sleep(300);
            return found;
          };
        },
      });
    const transact: UnitOfWork['transact'] = (work) => unitOfWork.transact((transaction) => work(watch(transaction)));
    const asking = await start({ reader: unitOfWork.reader, transact } as UnitOfWork);
    await asking.request(accountId).catch(() => undefined);
    expect(await begun).toBe((await recovery.findDue(accountId)) !== null);
  });
});
