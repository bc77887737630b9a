import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { endingWith, factsAt, type LedgerFixture } from './ledger-fixture.js';

type Account = Awaited<ReturnType<LedgerFixture['createFundedAccount']>>;

/** How a call ends; together they write every kind of row that a call can leave. */
const endings = [
  'settled',
  'settled',
  'settled',
  'settled',
  'overage',
  'absorbed',
  'released',
  'voided',
  'expired',
  'late',
] as const;

/**
 * Many callers at once on a few wallets, for tests that look at the books meanwhile. Needs a fixture whose leases are over as
 * soon as they begin, so that a hold can be expired at any moment.
 */
export class LedgerTraffic {
  readonly accounts: Account[] = [];

  private constructor(private readonly fixture: LedgerFixture) {}

  static async open(fixture: LedgerFixture, accountCount: number): Promise<LedgerTraffic> {
    const traffic = new LedgerTraffic(fixture);
    for (let n = 0; n < accountCount; n += 1) traffic.accounts.push(await fixture.createFundedAccount(10_000_000));
    return traffic;
  }

  /** Runs so many calls, `concurrency` at a time, over the wallets and the kinds of endings in turn. */
  async run(callCount: number, concurrency = 50): Promise<void> {
    let begun = 0;
    const caller = async () => {
      while (begun < callCount) {
        begun += 1;
        const account = this.accounts[begun % this.accounts.length] as Account;
        const ending = endings[Math.floor(begun / this.accounts.length) % endings.length];
        await this.call(account, ending);
        // Nothing was left to call with.
        if (ending === 'absorbed') await this.buy(account, 10_000_000);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, caller));
  }

  /** One call from its hold to its end. @returns its id. */
  async call(account: Account, ending: (typeof endings)[number] | 'left open' = 'settled'): Promise<string> {
    const { ledger } = this.fixture;
    const callId = createId('call');
    const { accountId } = account;
    const amount = toMillicredits(600);
    const amounts = { amountMillicredits: amount, acceptFromMillicredits: amount };
    await ledger.placeHold({ callId, ...account, facts: factsAt(2), ...amounts });
    const settle = (prompt: number, completion: number) =>
      ledger.settleHold({ callId, accountId, ending: endingWith(prompt, completion) });
    if (ending === 'settled') await settle(100, 150);
    if (ending === 'absorbed') await settle(9_000_000, 0);
    if (ending === 'overage') await settle(200, 150);
    if (ending === 'released') await settle(0, 0);
    if (ending === 'voided') await ledger.voidHold(callId, accountId);
    if (ending === 'expired' || ending === 'late') {
      await ledger.renewHold({ callId, accountId, promptTokens: 20, completionTokens: 10 });
      await ledger.expireHold({ callId, accountId });
    }
    if (ending === 'late') await settle(60, 40);
    return callId;
  }

  /** A purchase that is paid and granted as the server does it. @returns its id. */
  async buy({ accountId }: Account, millicredits: number): Promise<string> {
    const id = createId('purchase');
    await this.fixture.source.query(
      `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('${id}', '${accountId}', 'test', 100, 'usd', ${millicredits}, 'pending', 0)`,
    );
    await this.fixture.ledger.grantCredits({
      transferId: `purchase:${id}`,
      type: 'purchase',
      accountId,
      amountMillicredits: toMillicredits(millicredits),
      companion: { sql: "UPDATE purchase SET status = 'paid' WHERE id = ? AND status = 'pending'", values: [id] },
    });
    return id;
  }
}
