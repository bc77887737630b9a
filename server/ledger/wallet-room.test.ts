import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import type { GrantType, ReversalType } from './ledger-types.js';

const hundredMillionDollars = 100_000_000_000_000;
const full = { status: 'refused', reason: 'wallet_full' };

describeOnEachDatabase('What a wallet can take', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let accountId: string;
  let count = 0;
  const name = (transferId?: string) => {
    count += 1;
    return { transferId: transferId ?? `grant:test:${count}`, accountId };
  };
  const give = (amount: number, type: GrantType = 'grant', transferId?: string) =>
    fixture.ledger.grantCredits({ ...name(transferId), type, amountMillicredits: toMillicredits(amount) });
  const take = (amount: number, type: ReversalType) =>
    fixture.ledger.reverseGrant({ ...name(), type, amountMillicredits: toMillicredits(amount) });

  beforeEach(async () => {
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });

  it('is given no more than a hundred million dollars at a time, and is credited with what was paid all the same', async () => {
    expect(await give(hundredMillionDollars)).toMatchObject({ status: 'granted' });
    for (const type of ['grant', 'adjustment'] as const) expect(await give(1, type)).toEqual(full);
    expect(await give(1_000_000_000, 'dispute_reversal')).toMatchObject({ status: 'granted' });
    expect(await give(1_000_000_000, 'adjustment', 'refund:failed')).toMatchObject({ status: 'granted' });
    expect(await take(3_000_000_000, 'adjustment')).toMatchObject({ status: 'granted' });
    expect(await give(1_000_000_000, 'grant')).toMatchObject({ status: 'granted' });
  });

  it('keeps room for what is owed behind all that it was ever given and had taken back', async () => {
    expect(await give(8e15, 'dispute_reversal')).toMatchObject({ status: 'granted' });
    expect(await take(8e15, 'adjustment')).toMatchObject({ status: 'granted' });
    expect(await give(1)).toEqual(full);
    expect(await take(1, 'adjustment')).toEqual(full);
    expect(await give(1e15, 'dispute_reversal')).toMatchObject({ status: 'granted' });
    expect(await take(1e15, 'dispute')).toMatchObject({ status: 'granted' });
    expect([await give(1, 'dispute_reversal'), await take(1, 'dispute')]).toEqual([full, full]);
  });
});
