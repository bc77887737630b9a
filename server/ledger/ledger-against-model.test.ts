import { AppError } from '../kernel/app-error.js';
import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import { LedgerModel } from '../test/ledger-model.js';

const seed = Number(process.env.LEDGER_SEED ?? Math.floor(Math.random() * 2 ** 31));
const operationsWanted = Number(process.env.LEDGER_OPERATIONS ?? 6_000);

describeOnEachDatabase(`Ledger against an independent model, LEDGER_SEED=${seed}`, (openTestDatabase) => {
  async function compareOnce(): Promise<void> {
    // Leases that are over at once let any open hold be expired at any moment.
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: -60_000, graceMs: 0 });
    try {
      const run = new RandomRun(fixture, new LedgerModel(), createRandom(seed));
      await run.openAccounts(12);
      for (let done = 0; done < operationsWanted; ) {
        done += await run.burst();
        await run.changeLimit();
      }
      await run.compareBalances();
      await run.closeSome();
      for (let left = burstsAfterTheEnd; left > 0; left -= 1) await run.burst();
      const closedTooEarly = "state = 'closed' AND debits_pending > 0";
      expect(await fixture.countRows('ledger_account', closedTooEarly)).toBe(0);
      await run.endAll();
      await run.compareBalances();
      await run.compareKeySpend();
      expect(await fixture.countRows('ledger_account', "state = 'closing'")).toBe(0);
      expect(await fixture.countRows('ledger_account', "state = 'closed'")).toBe(6);
    } finally {
      // Whatever was turned away, the books add up.
      await fixture.close();
    }
  }

  it(
    `agrees on every answer and balance over ${operationsWanted} random operations`,
    async () => {
      for (let left = attemptsMax; ; left -= 1) {
        try {
          return await compareOnce();
        } catch (error) {
          if (left === 1 || !isTurnedAway(error)) throw error;
        }
      }
    },
    Math.max(280_000, operationsWanted * 10),
  );
});

/**
 * A database that does not answer for three seconds, as on a machine that is too busy, has the ledger turn operations away or keep them for
 * later. Nobody can say then in which order the others were done, so nothing is compared.
 */
const attemptsMax = 3;

function isTurnedAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'service_unavailable';
}

const purchasesPerAccount = 30;
/** Calls of accounts that were deleted still run then, and end. */
const burstsAfterTheEnd = 5;

/** The same numbers for the same seed, so that a failure can be replayed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Account = Awaited<ReturnType<LedgerFixture['createFundedAccount']>>;

interface TestGrant {
  readonly transferId: string;
  readonly accountId: string;
}

interface TestPurchase {
  readonly id: string;
  readonly accountId: string;
  readonly amount: number;
}

/** Asks the ledger and the model the same things in the same order, many at once, and compares what both say. */
class RandomRun {
  readonly #accounts: Account[] = [];
  readonly #calls: { callId: string; account: Account }[] = [];
  readonly #grants: TestGrant[] = [];
  readonly #purchases: TestPurchase[] = [];

  constructor(
    private readonly fixture: LedgerFixture,
    private readonly model: LedgerModel,
    private readonly random: (below: number) => number,
  ) {}

  async openAccounts(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const account = await this.fixture.createFundedAccount(0);
      this.model.openWallet(account.accountId);
      this.#accounts.push(account);
      for (let n = 0; n < purchasesPerAccount; n += 1) await this.#addPurchase(account.accountId);
    }
  }

  /** Runs up to 200 operations side by side. */
  async burst(): Promise<number> {
    const size = 1 + this.random(200);
    const ends = await Promise.allSettled(Array.from({ length: size }, () => this.#one()));
    // What was turned away explains what differs behind it.
    const faults = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (faults.length > 0) throw faults.find(isTurnedAway) ?? faults[0];
    return size;
  }

  /** Every other account is deleted while its calls run. */
  async closeSome(): Promise<void> {
    for (const { accountId } of this.#accounts.filter((_, place) => place % 2 === 0)) {
      this.model.close(accountId);
      expect(await this.fixture.ledger.setWalletState({ accountId, state: 'closing' })).toEqual({ status: 'changed' });
    }
  }

  /** Ends every call that still runs. */
  async endAll(): Promise<void> {
    for (const { id, wallet } of await this.fixture.source.query(
      "SELECT id, wallet FROM ledger_hold WHERE state = 'open'",
    )) {
      this.model.void(id);
      await this.fixture.ledger.voidHold(id, wallet);
    }
  }

  async compareBalances(): Promise<void> {
    for (const { accountId } of this.#accounts) {
      expect(await this.fixture.findWallet(accountId)).toEqual({
        posted: this.model.posted(accountId),
        pending: this.model.pending(accountId),
      });
    }
  }

  /** Now and then; two thirds of the keys have a limit after a while. */
  async changeLimit(): Promise<void> {
    if (this.random(3) !== 0) return;
    const account = this.#anyAccount();
    const period = (['day', 'week', 'month'] as const)[this.random(3)] ?? 'day';
    const limit = this.random(3) === 0 ? null : { amount: this.random(60_000), period };
    this.model.setKeyLimit(account.keyId, limit);
    await this.fixture.limitKey(account, limit && { millicredits: limit.amount, period });
  }

  /** Every counter that the ledger keeps says what the model says. */
  async compareKeySpend(): Promise<void> {
    const rows = await this.fixture.source.query('SELECT * FROM key_spend');
    for (const { key_id: keyId, period, starts_at_ms: startsAtMs, ...row } of rows) {
      const expected = this.model.keySum(keyId, period.split(' ')[0], Number(startsAtMs));
      expect({ spent: Number(row.spent_millicredits), held: Number(row.pending_millicredits) }).toEqual(expected);
    }
    expect(rows.length).toBeGreaterThan(0);
  }

  #one(): Promise<void> {
    const dice = this.random(100);
    if (dice < 35 || this.#calls.length === 0) return this.#hold();
    if (dice < 65) return this.#settle();
    if (dice < 72) return this.#renew();
    if (dice < 80) return this.#expire();
    if (dice < 84) return this.#waive();
    if (dice < 89) return this.#void();
    if (dice < 96) return this.#grant();
    if (dice < 98) return this.#purchase();
    return dice < 99 ? this.#reverse() : this.#freeze();
  }

  async #hold(): Promise<void> {
    const isRepeat = this.#calls.length > 0 && this.random(10) === 0;
    const { callId, account } = isRepeat ? this.#anyCall() : { callId: createId('call'), account: this.#anyAccount() };
    if (!isRepeat) this.#calls.push({ callId, account });
    const amount = 1 + this.random(3_000);
    const acceptFrom = this.random(2) === 0 ? amount : 1 + this.random(amount);
    const price = 1 + this.random(2);
    const multiplier = this.random(2) === 0 ? 1_000 : 1 + this.random(3_000);
    // Around the end of a month, so that calls of many days, of two weeks and two months are under way side by side.
    const startedAtMs = Date.UTC(2026, 0, 29) + this.random(6 * 86_400_000);
    const { accountId: walletId, keyId } = account;
    const expected = this.model.hold(callId, { walletId, keyId, startedAtMs, amount, acceptFrom, price, multiplier });
    const result = await this.fixture.ledger.placeHold({
      callId,
      ...account,
      facts: { ...factsAt(price), startedAtMs, priceMultiplier: multiplier },
      amountMillicredits: toMillicredits(amount),
      acceptFromMillicredits: toMillicredits(acceptFrom),
    });
    expect(result.status === 'held' ? result.heldMillicredits : null).toBe(expected);
  }

  async #settle(): Promise<void> {
    const { callId, account } = this.#anyCall();
    const [prompt, completion] = this.random(8) === 0 ? [0, 0] : [this.random(900), this.random(900)];
    const expected = this.model.settle(callId, prompt + completion);
    const ending = endingWith(prompt, completion);
    const result = await this.fixture.ledger.settleHold({ callId, accountId: account.accountId, ending });
    if (result.status === 'kept') throw new AppError('service_unavailable', 'It is booked later.');
    expect(result.status === 'settled' ? result.chargedMillicredits : null).toBe(expected);
  }

  async #renew(): Promise<void> {
    const { callId, account } = this.#anyCall();
    const [promptTokens, completionTokens] = [this.random(900), this.random(900)];
    this.model.renew(callId, promptTokens, completionTokens);
    await this.fixture.ledger.renewHold({ callId, accountId: account.accountId, promptTokens, completionTokens });
  }

  async #expire(): Promise<void> {
    const { callId, account } = this.#anyCall();
    this.model.expire(callId);
    await this.fixture.ledger.expireHold({ callId, accountId: account.accountId });
  }

  async #void(): Promise<void> {
    const { callId, account } = this.#anyCall();
    this.model.void(callId);
    await this.fixture.ledger.voidHold(callId, account.accountId);
  }

  async #waive(): Promise<void> {
    const { callId, account } = this.#anyCall();
    const { accountId } = account;
    const expected = this.model.waive(callId, accountId);
    expect(await this.fixture.ledger.waiveCall({ callId, accountId })).toEqual({ status: expected });
  }

  async #grant(): Promise<void> {
    const isRepeat = this.#grants.length > 0 && this.random(5) === 0;
    // A repeat is of the same account: who comes first of two accounts that share an id is nobody's promise.
    const { transferId, accountId } = isRepeat
      ? (this.#grants[this.random(this.#grants.length)] as TestGrant)
      : { transferId: `grant:${createId('call')}`, accountId: this.#anyAccount().accountId };
    this.#grants.push({ transferId, accountId });
    const amount = 1 + this.random(4_000);
    const expected = this.model.give(transferId, accountId, amount);
    const amountMillicredits = toMillicredits(amount);
    const result = await this.fixture.ledger.grantCredits({ transferId, type: 'grant', accountId, amountMillicredits });
    const said = result.status === 'granted' && result.isReplay ? 'replayed' : result.status;
    expect(said).toBe(expected);
  }

  // Any of the purchases, so that after a while most are asked for again: webhook and return page at once.
  async #purchase(): Promise<void> {
    const { id, accountId, amount } = this.#purchases[this.random(this.#purchases.length)] as TestPurchase;
    const expected = this.model.sell(`purchase:${id}`, accountId, amount);
    const result = await this.fixture.ledger.grantCredits({
      transferId: `purchase:${id}`,
      type: 'purchase',
      accountId,
      amountMillicredits: toMillicredits(amount),
      companion: { sql: "UPDATE purchase SET status = 'paid' WHERE id = ? AND status = 'pending'", values: [id] },
    });
    expect(result.status === 'granted' && (result.isReplay ? 'replayed' : 'granted')).toBe(expected);
  }

  async #addPurchase(accountId: string): Promise<void> {
    const id = createId('purchase');
    const amount = 1_000 + this.random(9_000);
    this.#purchases.push({ id, accountId, amount });
    await this.fixture.source.query(
      `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('${id}', '${accountId}', 'test', 1, 'usd', ${amount}, 'pending', 0)`,
    );
  }

  async #reverse(): Promise<void> {
    const { accountId } = this.#anyAccount();
    const transferId = `refund:${createId('call')}`;
    const amount = 1 + this.random(4_000);
    const expected = this.model.reverse(transferId, accountId, amount);
    const amountMillicredits = toMillicredits(amount);
    const result = await this.fixture.ledger.reverseGrant({
      transferId,
      type: 'refund',
      accountId,
      amountMillicredits,
    });
    expect(result.status === 'granted' && (result.isReplay ? 'replayed' : 'granted')).toBe(expected);
  }

  async #freeze(): Promise<void> {
    const { accountId } = this.#anyAccount();
    const state = this.random(3) === 0 ? 'frozen' : 'open';
    const isDone = this.model.setFrozen(accountId, state === 'frozen');
    const refused = { status: 'refused', reason: 'wallet_not_open' };
    const expected = isDone ? { status: 'changed' } : refused;
    expect(await this.fixture.ledger.setWalletState({ accountId, state, reason: 'operator' })).toEqual(expected);
  }

  // Mostly young calls: old ones have ended long ago.
  #anyCall() {
    const recent = Math.min(this.#calls.length, 150);
    return this.#calls[this.#calls.length - 1 - this.random(recent)] as { callId: string; account: Account };
  }

  #anyAccount(): Account {
    return this.#accounts[this.random(this.#accounts.length)] as Account;
  }
}
