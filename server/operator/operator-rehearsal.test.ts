import { answerOf, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';
import { repetitions } from '../test/sample.js';
import { SeededChoices } from '../test/seeded-choices.js';

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const changeCount = repetitions({ usual: 25, all: 80 });
const accountCount = 4;
const callers = 6;
const reason = 'A rehearsal';
/** What a new account has bought, in millicredits. */
const openingMillicredits = 50_000_000;
const model = 'gpt-4.1-mini';

interface Call {
  readonly id: string;
  /** How many prices had been asked for when its first byte had come. */
  readonly pricesBegun: number;
}

/** What operators moved of an account, in millicredits, by what they were answered. */
type Moved = Map<string, number>;

describeOnEachDatabase(`Operators at work beside calls (FUZZ_SEED=${seed})`, (openTestDatabase) => {
  let of: FactorApp;
  let beside: TestApp;
  let owner: TestOperator;
  const accounts: TestAccount[] = [];
  const calls: Call[] = [];
  const moved: Moved = new Map();
  /** Millicredits a token, in the order in which they were asked for; the first is the list price. */
  const prices = [1];

  beforeAll(async () => {
    const database = await openTestDatabase();
    const settings = {
      ...{ ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true', REQUESTS_PER_MINUTE: '5000' },
      ...(database.kind === 'mysql' ? { RATE_LIMIT_STORE: 'mysql' } : {}),
    };
    of = await FactorApp.start(database, Date.now(), settings);
    beside = await of.startBeside(settings);
    owner = await TestOperator.join(of, 'owner');
    for (let made = 0; made < accountCount; made += 1) accounts.push(await of.app.createAccount(50));
  }, 60_000);
  // Both prove the books before they let go.
  afterAll(async () => {
    if (beside !== of.app) await beside.close();
    await of.close();
  });

  const note = ({ accountId }: TestAccount, millicredits: number) =>
    moved.set(accountId, (moved.get(accountId) ?? 0) + millicredits);

  /** Calls one after another, plain and streamed, on either server, until the operators are done. */
  async function keepCalling(choices: SeededChoices, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const [app, account] = [choices.oneOf([of.app, beside]), choices.oneOf(accounts)];
      const content = `@@tokens=${choices.below(30)} @@delay=${choices.below(8)}`;
      const sent = { model, stream: choices.below(2) === 1, max_tokens: 40, messages: [{ role: 'user', content }] };
      const answer = await app.call(account.secret, sent);
      const id = answer.headers.get('x-generation-id');
      if (answer.status === 200 && id !== null) calls.push({ id, pricesBegun: prices.length });
      // Frozen, or nothing left.
      else expect([402, 403, 429]).toContain(answer.status);
      await answer.text();
    }
  }

  async function movesCredits(name: 'grantCredits' | 'takeBackCredits', account: TestAccount, credits: number) {
    const credit = { accountId: account.accountId, credits, reason };
    const answer = await owner.change(`${name}(input: $credit) { isMoved }`, { credit });
    if (reasonOf(answer) === 'done') note(account, (name === 'grantCredits' ? 1 : -1) * credits * 1_000);
    else expect(reasonOf(answer)).toBe('insufficient_quota');
  }

  async function buyAndRefund(account: TestAccount): Promise<void> {
    await of.app.buyCredits(account.sessionToken, 5);
    const newest = `SELECT id FROM purchase WHERE account_id = '${account.accountId}' ORDER BY id DESC LIMIT 1`;
    const refund = { purchaseId: String((await of.app.query(newest))[0]?.id), reason };
    // What was bought is given back whole, so that it comes to nothing.
    const { refundPurchase } = answerOf<{ refundPurchase: { state: string } }>(
      await owner.change('refundPurchase(input: $refund) { state }', { refund }),
    );
    expect(refundPurchase.state).toBe('done');
  }

  async function freezeAndOpen({ accountId }: TestAccount): Promise<void> {
    for (const name of ['freezeAccount', 'openAccount'])
      answerOf(await owner.change(`${name}(accountId: $accountId, reason: $reason)`, { accountId, reason }));
  }

  async function changePrice(choices: SeededChoices): Promise<void> {
    const price = 1 + choices.below(5);
    if (price === prices.at(-1)) return;
    prices.push(price);
    const document = `tiers: { lower: ${price} }`;
    answerOf(await owner.change('applyPrices(input: $prices) { number }', { prices: { document, reason } }));
  }

  it('keep the books exact to the millicredit, and no call is charged a price that was set after it had begun', async () => {
    const choices = new SeededChoices(seed);
    let isOver = false;
    const running = Array.from({ length: callers }, (_, index) =>
      keepCalling(new SeededChoices(seed + index + 1), () => isOver),
    );
    for (let change = 0; change < changeCount; change += 1) {
      if (change % 10 === 0) answerOf(await owner.prove());
      const account = choices.oneOf(accounts);
      const work = choices.oneOf([
        () => movesCredits('grantCredits', account, 1 + choices.below(500)),
        () => movesCredits('takeBackCredits', account, 1 + choices.below(500)),
        () => buyAndRefund(account),
        () => freezeAndOpen(account),
        () => changePrice(choices),
      ]);
      await work();
    }
    isOver = true;
    await Promise.all(running);
    for (const { accountId } of accounts) {
      await of.app.waitUntilSettled(accountId);
      const [charged] = await of.app.query(
        `SELECT SUM(charged_millicredits) AS sum FROM call_record WHERE account_id = '${accountId}'`,
      );
      const wallet = await of.app.findWallet(accountId);
      const expected = openingMillicredits + (moved.get(accountId) ?? 0) - Number(charged?.sum ?? 0);
      expect([accountId, wallet.posted]).toEqual([accountId, expected]);
    }
    const receipts = await of.app.query('SELECT call_id, millicredits_per_token FROM call_record');
    const priceOf = new Map(receipts.map((row) => [String(row.call_id), Number(row.millicredits_per_token)]));
    expect(calls.length).toBeGreaterThan(callers);
    for (const { id, pricesBegun } of calls)
      expect([id, prices.slice(0, pricesBegun)]).toEqual([id, expect.arrayContaining([priceOf.get(id)])]);
  }, 180_000);
});
