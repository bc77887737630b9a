import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp, testSecretsKey } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';
import { postGraphql } from '../../test/post-graphql.js';
import { runProgram } from '../../test/run-program.js';
import { makeTestFolder } from '../../test/test-folder.js';

interface Exported {
  readonly account: { readonly id: string; readonly email: string };
  readonly calls: readonly object[];
  readonly statement: readonly object[];
  readonly members: readonly object[];
  readonly apiKeys: readonly object[];
  readonly webhookEndpoints: readonly object[];
}

describeOnEachDatabase('Accounts that operators export', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const support = TestOperator.forAll(of, 'support');
  beforeEach(() => support.prove());

  const begin = (by: TestOperator, accountId: string, reason = 'Asked for by mail') =>
    by.change('exportAccount(input: $file)', { file: { accountId, reason } });
  const pathOf = async (answer: ReturnType<typeof begin>) =>
    answerOf<{ exportAccount: string }>(await answer).exportAccount;
  const fetchAs = (cookie: string | null, path: string, more: Record<string, string> = {}) =>
    fetch(`${of.app.baseUrl}${path}`, { headers: { ...(cookie === null ? {} : { cookie }), ...more } });
  const cookieOf = (by: TestOperator) => `operator=${by.browser.cookie('operator')}`;
  const listLog = (accountId: string) =>
    of.app.query(`SELECT action, reason FROM operator_event WHERE account_id = '${accountId}'`);
  const withoutTime = (text: string): Exported => ({ ...JSON.parse(text), exportedAt: '', sessions: [], events: [] });

  it('are the file that their owner can download, written down before it can be fetched', async () => {
    const account = await of.app.createAccount(5);
    const call = await of.app.call(account.secret, {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    await call.text();
    await of.app.waitUntilSettled(account.accountId);
    const path = await pathOf(begin(support, account.accountId));
    expect(await listLog(account.accountId)).toEqual([{ action: 'export_account', reason: 'Asked for by mail' }]);
    const answer = await fetchAs(cookieOf(support), path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="tollgate-account-.*\.json"$/);
    const file = withoutTime(await answer.text());
    expect([file.account.id, file.calls.length]).toEqual([account.accountId, 1]);
    const own = await fetchAs(null, '/export/account.json', { authorization: `Bearer ${account.sessionToken}` });
    expect(file).toEqual(withoutTime(await own.text()));
  });

  it('have the members, what each key may do, and the webhooks without their secrets', async () => {
    const account = await of.app.createAccount(5);
    const authorization = `Bearer ${account.sessionToken}`;
    const ask = async (query: string) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await postGraphql(of.app.baseUrl, { query }, headers);
      expect(await response.json()).not.toHaveProperty('errors');
    };
    const [key] = await of.app.query(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`);
    await ask(`mutation { updateApiKey(id: "${key?.id}", input: {
      name: "narrow", models: ["gpt-4o-mini"], addresses: ["192.0.2.0/24"], spendLimit: 12.5, spendPeriod: MONTH
    }) { id } }`);
    await ask(`mutation { createWebhookEndpoint(input: {
      name: "watch", url: "https://example.com/hook", events: [BALANCE_LOW]
    }) { id } }`);
    const text = await (await fetchAs(null, '/export/account.json', { authorization })).text();
    const { members, apiKeys, webhookEndpoints } = JSON.parse(text) as Exported;
    expect(members).toEqual([expect.objectContaining({ personId: account.accountId, role: 'owner' })]);
    expect(apiKeys).toEqual([
      expect.objectContaining({
        ...{ name: 'narrow', models: ['gpt-4o-mini'], addresses: ['192.0.2.0/24'], providers: null },
        ...{ spendLimit: 12.5, spendPeriod: 'month', requestsPerMinute: null, expiresAt: null },
      }),
    ]);
    expect(webhookEndpoints).toEqual([
      expect.objectContaining({ name: 'watch', url: 'https://example.com/hook', events: ['balance.low'], isOn: true }),
    ]);
    const [endpoint] = await of.app.query(
      `SELECT secret FROM webhook_endpoint WHERE account_id = '${account.accountId}'`,
    );
    expect(text).not.toContain(String(endpoint?.secret));
  });

  it('are for who asked, for a minute, and for nobody else', async () => {
    const account = await of.app.createAccount(5);
    const [finance, another] = [await TestOperator.join(of, 'finance'), await TestOperator.join(of, 'owner')];
    expect(reasonOf(await begin(finance, account.accountId))).toBe('forbidden');
    expect(reasonOf(await begin(support, account.accountId, ' '))).toBe('invalid_value');
    expect(reasonOf(await begin(support, 'acct_nobody'))).toBe('not_found');
    expect(await listLog(account.accountId)).toEqual([]);
    const path = await pathOf(begin(support, account.accountId));
    const statusOf = async (cookie: string | null, more?: Record<string, string>) =>
      (await fetchAs(cookie, path, more)).status;
    expect(await statusOf(cookieOf(finance))).toBe(403);
    expect(await statusOf(cookieOf(another))).toBe(404);
    expect(await statusOf(null)).toBe(401);
    expect(await statusOf(null, { authorization: `Bearer ${account.sessionToken}` })).toBe(401);
    expect(await statusOf(null, { authorization: `Bearer ${account.secret}` })).toBe(401);
    expect(await statusOf(cookieOf(support), { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect((await fetchAs(cookieOf(support), '/export/accounts/oper_nothing.json')).status).toBe(404);
    expect(await statusOf(cookieOf(support))).toBe(200);
    of.clock.advanceMs(60_000);
    expect(await statusOf(cookieOf(support))).toBe(404);
  });

  it('are written by the command line into a file that only its user can read, and over none', async () => {
    const account = await of.app.createAccount(5);
    const file = join(makeTestFolder('export'), 'account.json');
    const words = ['account', 'export', account.accountId, '--to', file, '--reason', 'Asked for by mail'];
    const settings = { SECRETS_KEY: testSecretsKey, LOG_LEVEL: 'warn' };
    const run = () => runProgram('tollgate.js', of.app.database.address, { words, settings });
    expect(await run()).toMatchObject({ exitCode: 0, output: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const own = await fetchAs(null, '/export/account.json', { authorization: `Bearer ${account.sessionToken}` });
    expect(withoutTime(readFileSync(file, 'utf8'))).toEqual(withoutTime(await own.text()));
    expect(await listLog(account.accountId)).toMatchObject([{ action: 'export_account' }]);
    const again = await run();
    expect([again.exitCode, again.log]).toEqual([1, expect.stringContaining('is there already')]);
    expect(await listLog(account.accountId)).toHaveLength(1);
  });
});
