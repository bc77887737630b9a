import { type TestAccount, TestApp } from './create-test-app.js';
import type { OpenTestDatabase, TestDatabase } from './each-database.js';
import { StripeDouble } from './stripe-double.js';
import type { StripeObject } from './stripe-double-books.js';

/** A checkout that waits at the double. */
export interface DoubleCheckout {
  readonly purchaseId: string;
  readonly sessionId: string;
  readonly url: string;
}

/** The real server, set up to sell by the double of Stripe. */
export class DoubleShop {
  app!: TestApp;
  double!: StripeDouble;

  private constructor() {}

  static async open(database: TestDatabase, settings: Readonly<Record<string, string>> = {}): Promise<DoubleShop> {
    const shop = new DoubleShop();
    await shop.#open(database, settings);
    return shop;
  }

  /** One for each test of the suite around it, and an account of it that has no credits yet. */
  static forEach(openTestDatabase: OpenTestDatabase, settings: Readonly<Record<string, string>> = {}) {
    const shop = new DoubleShop();
    const account = {} as TestAccount;
    beforeEach(async () => {
      await shop.#open(await openTestDatabase(), settings);
      Object.assign(account, await shop.app.createAccount(0));
    });
    afterEach(() => shop.close());
    return { shop, account };
  }

  async #open(database: TestDatabase, settings: Readonly<Record<string, string>>): Promise<void> {
    this.double = await StripeDouble.start();
    this.app = await TestApp.start(database, { ...this.double.settings, ...settings });
  }

  /** Begins to buy for whole dollars. @throws with GraphQL's errors. */
  async startCheckout(account: TestAccount, dollars = 5): Promise<DoubleCheckout> {
    const { startCheckout } = await this.app.graphql<{ startCheckout: { purchase: { id: string }; url: string } }>(
      'mutation ($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { purchase { id } url } }',
      { dollars },
      account.sessionToken,
    );
    const { url } = startCheckout;
    return { purchaseId: startCheckout.purchase.id, sessionId: url.slice(url.lastIndexOf('/') + 1), url };
  }

  /** A purchase that is paid and granted, by the webhook alone. */
  async buy(account: TestAccount, dollars = 5): Promise<DoubleCheckout> {
    const checkout = await this.startCheckout(account, dollars);
    expect(await this.deliver(this.double.books.pay(checkout.sessionId))).toBe(200);
    return checkout;
  }

  /** What the page does that the buyer comes back to. @returns the purchase's status. */
  async confirm(account: TestAccount, { purchaseId }: DoubleCheckout): Promise<string> {
    const { confirmPurchase } = await this.app.graphql<{ confirmPurchase: { status: string } }>(
      'mutation ($id: ID!) { confirmPurchase(id: $id) { status } }',
      { id: purchaseId },
      account.sessionToken,
    );
    return confirmPurchase.status;
  }

  /** @returns the HTTP status of the delivery. */
  async deliver(event: StripeObject): Promise<number> {
    return (await this.double.deliver(event, this.app.baseUrl)).status;
  }

  /** Every movement of a purchase's credits, oldest first: positive came in. */
  async listMovements({ purchaseId }: Pick<DoubleCheckout, 'purchaseId'>): Promise<number[]> {
    const rows = await this.app.query(
      `SELECT amount, wallet, credit_account FROM ledger_transfer WHERE id LIKE '%:${purchaseId}%' ORDER BY wallet_seq`,
    );
    return rows.map(({ amount, wallet, credit_account }) => Number(amount) * (wallet === credit_account ? 1 : -1));
  }

  /** Where a purchase and its account stand, without the way that led there. */
  async findState(account: TestAccount, { purchaseId }: Pick<DoubleCheckout, 'purchaseId'>) {
    const [row] = await this.app.query(
      `SELECT p.status, a.state, r.refunded_cents, r.disputed_cents, r.dispute_state FROM purchase p
       JOIN ledger_account a ON a.id = p.account_id LEFT JOIN purchase_reversal r ON r.purchase_id = p.id
       WHERE p.id = '${purchaseId}' AND p.account_id = '${account.accountId}'`,
    );
    const movements = await this.listMovements({ purchaseId });
    return {
      status: row?.status,
      wallet: row?.state,
      refundedCents: Number(row?.refunded_cents ?? 0),
      disputedCents: Number(row?.disputed_cents ?? 0),
      dispute: row?.dispute_state ?? 'none',
      credits: movements.reduce((sum, amount) => sum + amount, 0),
    };
  }

  /** What was set aside for the operator, as `reason`. */
  async listQuarantined(): Promise<unknown[]> {
    const rows = await this.app.query("SELECT reason FROM stripe_event WHERE state = 'quarantined' ORDER BY id");
    return rows.map(({ reason }) => reason);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.double.close();
  }
}
