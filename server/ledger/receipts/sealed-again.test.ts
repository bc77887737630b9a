import { mock } from 'node:test';
import { FakeClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, warmUp } from '../../test/lease-calls.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { openSteppedLedger } from '../../test/stepped-ledger.js';
import type { SettleInput } from '../ledger-types.js';
import { CallRetention } from './call-retention.js';

const april = Date.UTC(2026, 3, 10);
const august = Date.UTC(2026, 7, 10);
const times = { leaseMs: 60_000, graceMs: 30_000 };

describeOnEachDatabase('A call whose receipt was removed', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  const clock = new FakeClock(april);
  // Ids are made by it, too.
  beforeEach(() => {
    mock.method(Date, 'now', () => clock.nowMs());
  });
  afterEach(() => mock.restoreAll());

  it('is not charged again when its settlement comes once more, also where the clock was months ahead and is set right', async () => {
    const ledger = openSteppedLedger(fixture, { instance: 'a', times, clock, readMs: () => 0 });
    const account = await fixture.createFundedAccount(0);
    const { accountId } = account;
    const grant = { transferId: 'grant:a', type: 'grant', amountMillicredits: toMillicredits(1_000_000) } as const;
    await ledger.grantCredits({ ...grant, accountId });
    await warmUp(ledger, account, 100, { startedAtMs: april });
    const { callId } = await begin(ledger, account, 100, { startedAtMs: april });
    const settlement: SettleInput = { callId, accountId, ending: endingWith(40, 30) };
    const covered = ledger.leases?.cover(settlement) ?? settlement;
    expect(covered.lease).toBeDefined();
    expect(await ledger.bookAgain(covered)).toMatchObject({ status: 'settled', chargedMillicredits: 70 });
    ledger.leases?.drain(accountId);
    await ledger.renewLeases();
    // It has stood by that for a day.
    clock.setWallMs(august);
    const retention = new CallRetention({
      ...{ unitOfWork: fixture.unitOfWork, clock, logger: silentLogger, isOneWriter: false, keep: null },
      findTime: async () => ({ nowMs: august, provenMs: august }),
      findDays: async () => 62,
      findNeeded: async () => new Set(),
    });
    expect(await retention.sealDue()).toBeGreaterThan(0);
    for (const nowMs of [august, april + 3_600_000]) {
      clock.setWallMs(nowMs);
      expect(await ledger.bookAgain(covered)).toEqual({ status: 'refused', reason: 'unknown_hold' });
      expect(await fixture.findWallet(accountId)).toEqual({ posted: 1_000_000 - 70, pending: 0 });
    }
    await ledger.close();
  });
});
