import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { type FundedAccount, trustingKeyWatch, untilReturned } from '../test/lease-calls.js';
import { endingWith, factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import { SeededChoices } from '../test/seeded-choices.js';
import { findLedgerViolations } from './checks/check-ledger.js';

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const callsWanted = 120;
const sentence = 'a receipt is tokens times price, and the multiplier of its account rounded up once';

/** Exact, in whole numbers of any size. */
function priceOf(tokens: number, price: number, multiplier: number): number {
  return Number((BigInt(tokens) * BigInt(price) * BigInt(multiplier) + 999n) / 1_000n);
}

describeOnEachDatabase('A call at a part of the list price', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase, undefined, { keyWatch: trustingKeyWatch });

  interface Asked {
    readonly price: number;
    readonly multiplier: number;
    readonly tokensMax: number;
    readonly isStreamed?: boolean;
    /** Without it a call takes a hold; with it a lease may let it in. */
    readonly keyRevision?: number;
  }

  const begin = async (account: FundedAccount, asked: Asked) => {
    const { price, multiplier, tokensMax, isStreamed = false, ...key } = asked;
    const callId = createId('call');
    const amountMillicredits = toMillicredits(priceOf(tokensMax, price, multiplier));
    const facts = { ...factsAt(price), isStreamed, priceMultiplier: multiplier, startedAtMs: Date.now() };
    const amounts = { amountMillicredits, acceptFromMillicredits: amountMillicredits };
    const held = await fixture.ledger.placeHold({ callId, ...account, ...key, facts, ...amounts });
    expect(held).toMatchObject({ status: 'held', heldMillicredits: amountMillicredits });
    return callId;
  };
  const end = ({ accountId }: FundedAccount, callId: string, tokens: number) =>
    fixture.ledger.settleHold({ callId, accountId, ending: endingWith(tokens, 0) });
  const findReceipt = async (callId: string) => {
    const [row] = await fixture.source.query(
      `SELECT charged_millicredits, absorbed_millicredits, held_millicredits, price_multiplier, lease FROM call_record WHERE call_id = '${callId}'`,
    );
    return row as Readonly<Record<string, string | number | null>>;
  };
  const listFalse = async () => (await findLedgerViolations(fixture.source.manager)).map(({ invariant }) => invariant);

  it(`is charged exactly, at most what was held for it, leased or not, plain or streamed (seed ${seed})`, async () => {
    const choices = new SeededChoices(seed);
    const account = await fixture.createFundedAccount(2_000_000_000);
    let leased = 0;
    let charged = 0;
    for (let run = 0; run < callsWanted; run += 1) {
      const multiplier = choices.oneOf([1, 333, 800, 1_000, 1_250, 1 + choices.below(5_000)]);
      const asked = {
        ...{ price: 1 + choices.below(3), multiplier, tokensMax: 1 + choices.below(4_000) },
        isStreamed: choices.chance(50),
        ...(choices.chance(70) && { keyRevision: 0 }),
      };
      const callId = await begin(account, asked);
      const tokens = choices.chance(10) ? asked.tokensMax : choices.below(asked.tokensMax + 1);
      const cost = priceOf(tokens, asked.price, multiplier);
      const result = await end(account, callId, tokens);
      expect(result).toMatchObject({ status: 'settled', chargedMillicredits: cost, absorbedMillicredits: 0 });
      const receipt = await findReceipt(callId);
      expect(Number(receipt.charged_millicredits)).toBe(cost);
      expect(Number(receipt.charged_millicredits)).toBeLessThanOrEqual(Number(receipt.held_millicredits));
      expect(receipt.price_multiplier === null ? 1_000 : Number(receipt.price_multiplier)).toBe(multiplier);
      if (receipt.lease !== null) leased += 1;
      charged += cost;
    }
    expect(leased).toBeGreaterThan(0);
    expect(leased).toBeLessThan(callsWanted);
    await untilReturned(fixture, account);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 2_000_000_000 - charged, pending: 0 });
    expect(await listFalse()).toEqual([]);
  });

  it('keeps its multiplier where its process dies, and pays for no more tokens than its hold covers', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    const callId = await begin(account, { price: 2, multiplier: 750, tokensMax: 101 });
    await fixture.ledger.renewHold({ callId, accountId: account.accountId, promptTokens: 500, completionTokens: 0 });
    await fixture.source.query(`UPDATE ledger_hold SET lease_until_ms = 1 WHERE id = '${callId}'`);
    const result = await fixture.ledger.expireHold({ callId, accountId: account.accountId });
    // Of 152 held, 101 tokens are 151.5.
    expect(result).toMatchObject({ status: 'settled', chargedMillicredits: 152 });
    expect(await end(account, callId, 201)).toMatchObject({ chargedMillicredits: 302, absorbedMillicredits: 0 });
    expect(Number((await findReceipt(callId)).price_multiplier)).toBe(750);
    expect(await listFalse()).toEqual([]);
  });

  it('is paid by the operator beyond the balance, which the receipt still sums to', async () => {
    const account = await fixture.createFundedAccount(100);
    const callId = await begin(account, { price: 1, multiplier: 900, tokensMax: 100 });
    expect(await end(account, callId, 1_001)).toMatchObject({ chargedMillicredits: 100, absorbedMillicredits: 801 });
    expect(await listFalse()).toEqual([]);
  });

  it.each([
    ['one millicredit less', 'charged_millicredits = charged_millicredits - 1'],
    ['one millicredit more', 'charged_millicredits = charged_millicredits + 1'],
    ['another multiplier', 'price_multiplier = 700'],
    ['the list price', 'price_multiplier = NULL'],
    ['nothing', 'price_multiplier = 0, charged_millicredits = 0'],
  ])('is found by the check when its receipt says %s', async (_, planted) => {
    const account = await fixture.createFundedAccount(1_000_000);
    const callId = await begin(account, { price: 2, multiplier: 800, tokensMax: 200 });
    await end(account, callId, 101);
    const { charged_millicredits: charged } = await findReceipt(callId);
    await fixture.source.query(`UPDATE call_record SET ${planted} WHERE call_id = '${callId}'`);
    expect(await listFalse()).toContain(sentence);
    await fixture.source.query(
      `UPDATE call_record SET charged_millicredits = ${charged}, price_multiplier = 800 WHERE call_id = '${callId}'`,
    );
    expect(await listFalse()).toEqual([]);
  });

  it('is found by the check when receipt and multiplier agree, but not with the hold', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    const callId = await begin(account, { price: 2, multiplier: 800, tokensMax: 200 });
    await end(account, callId, 100);
    const say = (charged: number, multiplier: number) =>
      fixture.source.query(
        `UPDATE call_record SET charged_millicredits = ${charged}, price_multiplier = ${multiplier} WHERE call_id = '${callId}'`,
      );
    await say(100, 500);
    expect(await listFalse()).toContain('a receipt says what its hold reserved and what was charged');
    expect(await listFalse()).not.toContain(sentence);
    await say(160, 800);
    expect(await listFalse()).toEqual([]);
  });
});
