import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import type { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';
import type { TestDatabase } from './each-database.js';
import { LedgerFixture } from './ledger-fixture.js';
import { makePurchasesParts } from './purchases-parts.js';
import { doubleSecretKey, StripeDouble } from './stripe-double.js';

/** A process that tops accounts up, as it is at its start. */
export interface SteppedProcess {
  readonly purchases: Purchases;
  /** Tops the account up if it wants that now. @returns whether a charge was begun. */
  topUp(): Promise<boolean>;
}

/** An account with a saved card, and processes that charge it while a test steps their clock. */
export class SteppedTopUps {
  readonly #opened: Purchases[] = [];

  private constructor(
    readonly fixture: LedgerFixture,
    readonly double: StripeDouble,
    readonly clock: FakeClock,
    readonly accountId: string,
  ) {}

  static async open(database: TestDatabase, clock: FakeClock): Promise<SteppedTopUps> {
    const fixture = await LedgerFixture.open(database);
    const double = await StripeDouble.start();
    const { accountId } = await fixture.createFundedAccount(500_000);
    return new SteppedTopUps(fixture, double, clock, accountId);
  }

  async close(): Promise<void> {
    for (const { watch } of this.#opened) await watch.close();
    await this.fixture.close();
    await this.double.close();
  }

  /** What a process makes at its start, which has watched no clock. */
  async start(): Promise<SteppedProcess> {
    const { accountId, clock, double, fixture } = this;
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const parts = makePurchasesParts(fixture, clock);
    const time = new ProvenTime(parts.unitOfWork, clock, async () => clock.nowMs());
    await time.read();
    const settings = { publicUrl: 'http://tollgate.test', isProduction: true, stripe };
    const purchases = openPurchases({ ...parts, readTime: (reader) => time.read(reader) }, settings);
    this.#opened.push(purchases);
    const topUp = async () => (await purchases.topUp?.topUpIfNeeded(accountId)) ?? false;
    return { purchases, topUp };
  }

  async turnOn({ purchases: { topUpSettings, watch } }: SteppedProcess, monthlyCapDollars = 20): Promise<void> {
    const { accountId, double, fixture } = this;
    const payer = { accountId, personId: accountId };
    const { url } = await topUpSettings.startCardSetup(payer);
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await topUpSettings.confirmCardSetup(payer, setupId);
    await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'operator' });
    const choice = { thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars, hasConsent: true };
    await topUpSettings.set(payer, { ...choice, isOn: true });
    await watch.settle();
    await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'operator' });
  }

  async spendAll(): Promise<void> {
    const { accountId, fixture } = this;
    const amountMillicredits = (await fixture.findWallet(accountId)).posted as Parameters<
      typeof fixture.ledger.reverseGrant
    >[0]['amountMillicredits'];
    const transferId = `refund:test:${Math.random()}`;
    await fixture.ledger.reverseGrant({ transferId, type: 'adjustment', accountId, amountMillicredits });
  }

  /** As thresholds were stored before they had a bound: no charge reaches it. */
  async putThresholdOutOfReach(): Promise<void> {
    await this.fixture.source.query('UPDATE auto_top_up SET threshold_millicredits = 9000000000000');
  }

  stepMs(ms: number): void {
    this.clock.setWallMs(this.clock.nowMs() + ms);
  }

  countCharges(): number {
    return this.double.books.payments.length;
  }
}
