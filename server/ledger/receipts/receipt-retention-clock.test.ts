import { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { ReceiptRetention } from './receipt-retention.js';

const dayMs = 86_400_000;
const who = { reason: 'A test', createdBy: 'a test' };

describeOnEachDatabase('For how long receipts are kept', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let rule: ReceiptRetention;

  beforeEach(async () => {
    clock = new FakeClock();
    rule = new ReceiptRetention(new UnitOfWork(fixture.source), clock, 62);
  });

  it('is no shorter than what was chosen before while the clock alone says that a day has passed', async () => {
    await rule.choose(400, who, async () => {});
    clock.advanceMs(3 * dayMs);
    await rule.choose(100, who, async () => {});
    const surelyMs = clock.nowMs();
    clock.setWallMs(clock.nowMs() + 30 * dayMs);
    expect(await rule.findDaysOfRemoval(surelyMs)).toBe(400);
    expect(await rule.findDaysOfRemoval(surelyMs + dayMs)).toBe(100);
  });

  it.each([1, 40])('is what was chosen last although the clock is set back by %d days since', async (days) => {
    await rule.choose(400, who, async () => {});
    clock.setWallMs(clock.nowMs() - days * dayMs);
    expect(await rule.findDaysOfRemoval(clock.nowMs())).toBe(400);
    await rule.choose(null, who, async () => {});
    expect(await rule.findDaysOfRemoval(clock.nowMs() - dayMs)).toBeNull();
  });
});
