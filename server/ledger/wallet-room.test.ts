import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import type { GrantType, ReversalType } from './ledger-types.js';

const hundredMillionDollars = 100_000_000_000_000;
const left = { status: 'refused', reason: 'wallet_not_open' };
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

  it('is given nothing more once its account is deleted, while calls run and after: what is owed it takes, and what was given is answered', async () => {
    expect(await give(5_000, 'grant', 'grant:before')).toMatchObject({ status: 'granted', isReplay: false });
    const keyId = await fixture.createKey(accountId);
    const call = { callId: createId('call'), accountId, keyId, facts: factsAt(1) };
    const amount = { amountMillicredits: toMillicredits(10), acceptFromMillicredits: toMillicredits(10) };
    expect(await fixture.ledger.placeHold({ ...call, ...amount })).toMatchObject({ status: 'held' });
    await fixture.ledger.setWalletState({ accountId, state: 'closing' });
    const expectGiftsRefused = async () => {
      for (const type of ['grant', 'adjustment'] as const) expect(await give(1, type)).toEqual(left);
      expect(await give(5_000, 'grant', 'grant:before')).toMatchObject({ status: 'granted', isReplay: true });
      expect(await give(1, 'dispute_reversal')).toMatchObject({ status: 'granted' });
      expect(await give(1, 'adjustment', `refund:${count}`)).toMatchObject({ status: 'granted' });
      expect(await take(2, 'adjustment')).toMatchObject({ status: 'granted' });
    };
    await expectGiftsRefused();
    await fixture.ledger.voidHold(call.callId, accountId);
    await expectGiftsRefused();
    expect(await fixture.findWallet(accountId)).toEqual({ posted: 5_000, pending: 0 });
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
