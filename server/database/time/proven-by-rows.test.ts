import { noteLink } from '../../accounts/recovery/account-links.js';
import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makePurchasesParts } from '../../test/purchases-parts.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('Deletes by age', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let accountId: string;

  beforeEach(async () => {
    clock = new FakeClock();
    accountId = (await fixture.createFundedAccount(500_000)).accountId;
  });

  const note = (purpose: 'undo_email' | 'reset_password') => {
    const link = { accountId, purpose, email: 'ada@example.com', emailNormalised: 'ada@example.com' };
    const { unitOfWork } = makePurchasesParts(fixture, clock);
    return unitOfWork.transact((transaction) => noteLink(transaction, link, clock.nowMs()));
  };
  const countUndo = () => fixture.countRows('account_link', "purpose = 'undo_email'");

  it('take no link to undo a change of address, nor another one, while the clock is ahead for less than a day', async () => {
    await note('undo_email');
    const kept = await note('reset_password');
    clock.setWallMs(clock.nowMs() + 31 * dayMs);
    for (let hour = 0; hour < 24; hour += 1) {
      await note('reset_password');
      clock.advanceMs(hourMs);
    }
    expect(await countUndo()).toBe(1);
    expect(await fixture.countRows('account_link', `id = '${kept}'`)).toBe(1);
  });

  it('take what is old by a row that is a day old', async () => {
    await note('undo_email');
    clock.advanceMs(7 * dayMs + 1_000);
    await note('reset_password');
    clock.advanceMs(dayMs);
    expect(await countUndo()).toBe(1);
    await note('reset_password');
    expect(await countUndo()).toBe(0);
  });
});
