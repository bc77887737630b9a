import { answerOf, CookieBrowser } from '../../test/cookie-browser.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { listTablesOfAccounts } from '../../test/tables-of-accounts.js';

type Exported = Readonly<Record<string, unknown>>;

/** The tables that are about an account, and the part of `account.json` that has what stands in each. */
const partOf = {
  ...{
    account_event: 'events',
    account_limit: 'ownLimits',
    api_key: 'apiKeys',
    authenticator_app: 'factors',
    auto_top_up: 'autoTopUp',
  },
  ...{
    balance_alert: 'balanceAlert',
    call_record: 'calls',
    invitation: 'invitations',
    key_network: 'keyNetworks',
    membership: 'members',
  },
  ...{
    linked_identity: 'linkedIdentities',
    passkey: 'factors',
    personal_item: 'personalItems',
    priced_account: 'account',
  },
  ...{ purchase: 'purchases', receipt_link: 'sharedReceipts', recovery_code: 'factors', refusal: 'refusals' },
  ...{ saved_item: 'savedItems', session: 'sessions', webhook_endpoint: 'webhookEndpoints' },
};

/** Why the others are not in it. `docs/graphql.md` says so in few words. */
const leftOut: Readonly<Record<string, string>> = {
  accepted_invitation: 'the hash of a link of a mail, while it would be good; the membership is in it',
  account_link: 'the hash of a link of a mail, while it is good',
  account_month: 'sums of calls that are in it',
  account_part: 'sums of calls that are in it',
  account_risk_mark: 'what an operator suspects of misuse, which its subject must not be warned of',
  auto_top_up_charge: 'how far a purchase that is in it has come',
  credit_request: 'an operator asks another one for it; what was credited is in the statement',
  customer_view: 'the log of operators',
  email_verification: 'the hash of a link of a mail, while it is good',
  factor_recovery: 'the hash of a link of a mail, while it is good',
  idempotent_answer: 'an answer that whoever asked has got, kept for the time of a repetition',
  key_change: 'tells servers of changes',
  known_device: 'hashes of what browsers hold',
  notice: 'what was told to the account itself, about what is in it; it is removed after 90 days',
  notice_read: 'up to where somebody has read',
  operator_event: 'the log of operators',
  pending_proof: 'a sign-in or proof under way, for minutes',
  purchase_reversal: 'how the statement came to its lines of refunds and disputes, which are in it',
  refund_order: 'how the statement came to its lines of refunds, which are in it',
  request_minute: 'counts a minute',
  sealed_month: 'sums of calls whose receipts were removed; the statement has what each cost',
  signup_gift: 'that a gift was given; its credits are in the statement',
  signup_gift_request: 'a gift under way, for minutes',
  stripe_customer: 'what Stripe calls the account',
  told_filling: 'up to where the balance was told',
  totals_mark: 'up to where sums are made',
  usage_hour: 'sums of calls that are in it',
  usage_late: 'sums of calls that are in it',
  usage_set: 'sums of calls that are in it',
  webhook_call_look: 'up to where an endpoint was told of calls',
};

describeOnEachDatabase('What is known about an account', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { TRUST_PROXY: '1' });
  let owner: CookieBrowser;
  let accountId: string;

  beforeAll(async () => {
    owner = new CookieBrowser(app, '198.51.100.1');
    accountId = await owner.signUp('owner@example.com');
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${accountId}'`);
  });

  const download = async () => {
    const response = await fetch(`${app.baseUrl}/export/account.json`, {
      headers: { cookie: `sid=${owner.cookie('sid')}` },
    });
    return response.text();
  };
  const ask = async (operation: string) => answerOf<Exported>(await owner.ask(operation));

  it('is in its export, or left out for a reason, table by table', async () => {
    const books = await LedgerFixture.open(await openTestDatabase());
    const about = listTablesOfAccounts(books.source);
    await books.close();
    const decided = [...Object.keys(partOf), ...Object.keys(leftOut)];
    expect(about.filter((table) => !decided.includes(table))).toEqual([]);
    expect(decided.filter((table) => !about.includes(table))).toEqual([]);
    const parts = Object.keys(JSON.parse(await download()));
    expect(Object.values(partOf).filter((part) => !parts.includes(part))).toEqual([]);
  });

  it('has what was set of alerts, top-ups and providers, who is invited or was, its own limits, from where keys were used, and which receipts are shared, without a secret', async () => {
    const until = Date.now() + 3_600_000;
    const callId = 'call_01';
    await ask('mutation { setPreferredProvider(provider: "demo") { id } }');
    await ask(
      'mutation { setBalanceAlert(input: { threshold: 12.5, webhookUrl: "https://example.com/low" }) { threshold } }',
    );
    await ask('mutation { setAutoTopUp(input: { threshold: 900.5, dollars: 10 }) { isOn } }');
    await ask('mutation { inviteMember(input: { email: "new@example.com", role: DEVELOPER }) { id } }');
    await app.query(
      `INSERT INTO invitation (id, account_id, email, email_normalised, role, token_hash, invited_by, created_at_ms, expires_at_ms) VALUES ('invt_00', '${accountId}', 'late@example.com', 'late@example.com', 'viewer', '${'b'.repeat(64)}', '${accountId}', 0, 1)`,
    );
    await app.query(
      `INSERT INTO receipt_link (token_hash, account_id, call_id, expires_at_ms) VALUES ('${'a'.repeat(64)}', '${accountId}', '${callId}', ${until})`,
    );
    await app.query(
      `INSERT INTO account_limit (account_id, requests_per_minute, models, since_ms) VALUES ('${accountId}', 7, '["demo-small"]', 1)`,
    );
    const day = Math.floor(Date.now() / 86_400_000);
    await app.query(
      `INSERT INTO key_network (day, key_id, network, number, account_id) VALUES (${day}, 'key_01', '198.51.100.0', 1, '${accountId}')`,
    );
    const text = await download();
    const file = JSON.parse(text) as Exported;
    expect(file).toMatchObject({
      account: { preferredProvider: 'demo' },
      balanceAlert: { threshold: 12.5, isByEmail: true, webhookUrl: 'https://example.com/low', isUseTold: false },
      autoTopUp: { isOn: false, threshold: 900.5, amountCents: 1_000, monthlyCapCents: 10_000, card: null },
      invitations: [
        { email: 'new@example.com', role: 'developer', invitedBy: accountId },
        { email: 'late@example.com', role: 'viewer', expiresAt: '1970-01-01T00:00:00.001Z' },
      ],
      ownLimits: { requestsPerMinute: 7, tokensPerMinute: null, models: ['demo-small'] },
      keyNetworks: [
        { day: new Date(day * 86_400_000).toISOString().slice(0, 10), keyId: 'key_01', network: '198.51.100.0' },
      ],
      sharedReceipts: [{ callId, expiresAt: new Date(until).toISOString() }],
    });
    const [alert] = await app.query(`SELECT webhook_secret FROM balance_alert WHERE account_id = '${accountId}'`);
    expect(String(alert?.webhook_secret)).toMatch(/./);
    expect(text).not.toContain(String(alert?.webhook_secret));
    expect(text).not.toContain('a'.repeat(64));
  });
});
