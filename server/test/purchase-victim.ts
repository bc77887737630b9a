import { type Stack, startStack } from '../../e2e/support/start-stack.js';
import type { TestAccount } from './create-test-app.js';
import type { TestDatabase } from './each-database.js';
import { eventually } from './eventually.js';
import { postGraphql } from './post-graphql.js';
import type { StripeObject } from './stripe-double-books.js';
import { DoubleShop } from './stripe-double-shop.js';

/** A real server that is killed at a chosen step of a purchase, beside a shop on the same database and the same Stripe double. */
export class PurchaseVictim {
  private constructor(
    readonly shop: DoubleShop,
    readonly account: TestAccount,
    private readonly stack: Stack,
  ) {}

  /** With one account that has no credits. */
  static async open(database: TestDatabase): Promise<PurchaseVictim> {
    const shop = await DoubleShop.open(database);
    const starting = startStack(database.address, shop.double.settings);
    const [account, stack] = await Promise.all([shop.app.createAccount(0), starting]);
    return new PurchaseVictim(shop, account, stack);
  }

  /** Without a slash at the end. */
  get baseUrl(): string {
    return this.stack.baseUrl;
  }

  /** Kills the server when this request, such as `GET /v1/refunds`, reaches Stripe, before anything came of it. */
  killBefore(wanted: string): Promise<void> {
    const { double } = this.shop;
    return new Promise((resolve) => {
      double.beforeWork = async (request) => {
        if (request !== wanted) return true;
        double.beforeWork = async () => true;
        await this.kill();
        resolve();
        return false;
      };
    });
  }

  /** Kills the server when Stripe has done what this request asks for, and has not answered yet. */
  killAfter(wanted: string): Promise<void> {
    const { double } = this.shop;
    return new Promise((resolve) => {
      double.beforeAnswer = async (request) => {
        if (request !== wanted) return;
        double.beforeAnswer = async () => {};
        await this.kill();
        resolve();
      };
    });
  }

  /** Delivers Stripe's event to the server and kills it as soon as the credits are seen; the test's own time limit ends the wait. */
  async deliverUntilGranted(event: StripeObject, checkout: { readonly purchaseId: string }): Promise<void> {
    const delivery = this.shop.double.deliver(event, this.baseUrl).catch(() => null);
    await eventually(async () => (await this.shop.listMovements(checkout)).length > 0, 0);
    await this.kill();
    await delivery;
  }

  kill(): Promise<void> {
    return this.stack.kill();
  }

  /** Asks the server as the account would. @returns null when it died over it. */
  ask(query: string): Promise<Response | null> {
    return postGraphql(this.baseUrl, { query }, { authorization: `Bearer ${this.account.sessionToken}` }).catch(
      () => null,
    );
  }

  beginPurchase(): Promise<Response | null> {
    return this.ask('mutation { startCheckout(input: { dollars: 5 }) { url } }');
  }

  /** The newest purchase, and the session of Stripe's that was noted with it. */
  async findPurchase(): Promise<{ purchaseId: string; notedSession: unknown }> {
    const [row] = await this.shop.app.query('SELECT id, gateway_session_id FROM purchase ORDER BY id DESC');
    return { purchaseId: String(row?.id), notedSession: row?.gateway_session_id };
  }

  async close(): Promise<void> {
    await this.kill();
    await this.shop.close();
  }
}
