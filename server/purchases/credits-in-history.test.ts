import { actAs } from '../audit/acting.js';
import { eventKeptMs } from '../audit/note-event.js';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { systemClock } from '../kernel/clock.js';
import { leastIdAt } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { SideWrite } from '../ledger/companion-write.js';
import type { Ledger } from '../ledger/ledger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';

type Grant = Parameters<Ledger['grantCredits']>[0];

/** What is in the account's history once its credits are there, for each way by which an owner gets some. */
const kinds = ['gift_claimed', 'credits_bought'] as const;

describeOnEachDatabase('the history of an account whose credits come', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let purchases: Purchases;
  let accountId: string;
  /** What the ledger is asked for, as this process asks for it. */
  let grantCredits: Ledger['grantCredits'];

  beforeEach(async () => {
    grantCredits = (grant) => fixture.ledger.grantCredits(grant);
    const parts = makePurchasesParts(fixture, systemClock);
    const ledger = {
      grantCredits: (grant: Grant) => grantCredits(grant),
      reverseGrant: fixture.ledger.reverseGrant.bind(fixture.ledger),
      setWalletState: fixture.ledger.setWalletState.bind(fixture.ledger),
    };
    const settings = { publicUrl: 'http://tollgate.test', isProduction: false, stripe: null };
    purchases = openPurchases({ ...parts, ledger }, settings);
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });

  /** @returns what brings the credits; also when it is called again. */
  const begin: Readonly<Record<(typeof kinds)[number], () => Promise<() => Promise<unknown>>>> = {
    gift_claimed: async () => {
      const gift = { creditsMillicredits: toMillicredits(5_000_000), count: 1, expiresAtMs: null };
      const [made] = await purchases.giftCodes.create(gift);
      return () => purchases.giftCodes.redeem({ accountId, address: '192.0.2.1', code: String(made?.code) });
    },
    credits_bought: async () => {
      const { purchase } = await purchases.service.startCheckout(accountId, { dollars: 5 });
      await purchases.simulatedGateway?.payCheckoutSession(purchase.id);
      return () => purchases.service.reconcilePurchase(purchase.id);
    },
  };
  const look = async (kind: string) => {
    const where = `account_id = '${accountId}' AND kind = '${kind}'`;
    const lines = await fixture.source.query(`SELECT subject_id FROM account_event WHERE ${where}`);
    return { lineCount: lines.length, posted: (await fixture.findWallet(accountId)).posted };
  };

  it.each(kinds)(
    'has the line %s, once, where the process ends right behind the commit that brought them',
    async (kind) => {
      const bring = await begin[kind]();
      const ended = new Error('The process has ended.');
      grantCredits = async (grant) => {
        await fixture.ledger.grantCredits(grant);
        throw ended;
      };
      await expect(bring()).rejects.toBe(ended);
      expect(await look(kind)).toEqual({ lineCount: 1, posted: 5_000_000 });
      grantCredits = (grant) => fixture.ledger.grantCredits(grant);
      await bring();
      expect(await look(kind)).toEqual({ lineCount: 1, posted: 5_000_000 });
    },
  );

  it.each(kinds)(
    'has no line %s where their transaction fails behind it, and has it with them once it does not',
    async (kind) => {
      const bring = await begin[kind]();
      // Refused by a constraint, when the line is written already.
      const refused: SideWrite = { sql: 'UPDATE ledger_account SET debt = -1 WHERE id = ?', values: [accountId] };
      let hasLine = false;
      grantCredits = (grant) => {
        const { companion } = grant;
        if (!companion) throw new Error('Both have a companion.');
        hasLine = companion.also?.some(({ values }) => values.includes(kind)) ?? false;
        return fixture.ledger.grantCredits({
          ...grant,
          companion: { ...companion, also: [...(companion.also ?? []), refused] },
        });
      };
      await expect(bring()).rejects.toMatchObject({ code: 'internal_error' });
      expect(hasLine).toBe(true);
      expect(await look(kind)).toEqual({ lineCount: 0, posted: 0 });
      grantCredits = (grant) => fixture.ledger.grantCredits(grant);
      await bring();
      expect(await look(kind)).toEqual({ lineCount: 1, posted: 5_000_000 });
    },
  );

  it('says who did it, and keeps its bounds, as it does of all else', async () => {
    const nowMs = systemClock.nowMs();
    const ages = [2 * eventKeptMs, eventKeptMs / 12];
    const rows = ages.map((ageMs) => `('${leastIdAt('accountEvent', nowMs - ageMs)}', '${accountId}', 'signed_in', 0)`);
    await fixture.source.query(
      `INSERT INTO account_event (id, account_id, kind, created_at_ms) VALUES ${rows.join(', ')}`,
    );
    const bring = await begin.gift_claimed();
    const by = { actorId: 'sess_1', address: '2001:db8:1:2:3::4', userAgent: "It's ? \\ “Firefox”\n" };
    await actAs(by, bring);
    const [, claimed, ...further] = await fixture.source.query(
      `SELECT kind, actor_id, person_id, role, network, user_agent, detail FROM account_event WHERE account_id = '${accountId}' ORDER BY id`,
    );
    expect(claimed).toEqual({
      ...{ kind: 'gift_claimed', actor_id: 'sess_1', person_id: null, role: null, detail: null },
      ...{ network: '2001:db8:1:0::/56', user_agent: expect.stringContaining("It's ? \\ “Firefox”") },
    });
    expect(further).toEqual([]);
  });
});
