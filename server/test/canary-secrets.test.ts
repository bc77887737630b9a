import { TestApp } from './create-test-app.js';
import { describeOnEachDatabase } from './each-database.js';
import { postGraphql } from './post-graphql.js';
import { listTableNames } from './table-names.js';

const password = 'heron-battery-7391';
const prompt = 'canary-prompt-5280 please';
const metricsToken = 'canary-metrics-token-4417';
/** What the upstream says with `says=json`; it comes in pieces, and in one. */
const answer = 'Paris';
const operatorKey = 'sk-operator-canary-0123456789';

const endings = [
  '',
  '@@status=401',
  '@@status=500',
  '@@status=400',
  '@@html',
  '@@bad-json',
  '@@json-error',
  '@@cut=1',
  '@@no-usage',
  '@@no-done',
  '@@error-event',
  '@@usage=-1,1e400',
];

describeOnEachDatabase('secrets', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { METRICS_TOKEN: metricsToken });
  const account = app.accountForAll(5);
  const bodies: string[] = [];

  const keep = async (response: Response) => {
    const text = await response.text().catch(() => '');
    if (response.status >= 400) bodies.push(text);
    return { text, headers: response.headers };
  };
  const ask = async (
    query: string,
    variables: object = {},
    token: string | null = account.sessionToken,
    headers = {},
  ) => {
    const response = await postGraphql(
      app.baseUrl,
      { query, variables },
      { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    );
    const text = await response.text();
    if (text.includes('"errors"')) bodies.push(text);
    return text;
  };

  it('of every kind, sent through every path, stand in no log, table, error or metric', async () => {
    const secrets = [
      password,
      prompt.slice(0, 18),
      answer,
      metricsToken,
      operatorKey,
      account.secret,
      account.sessionToken,
    ];
    await callEveryWay();
    const signedUp = await sendEveryMutation();
    secrets.push(signedUp.sessionToken, signedUp.cookie, signedUp.changedPassword, 'heron-new-battery-8812');
    await app.waitUntilSettled(account.accountId);
    const metrics = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    const places: Record<string, string> = {
      log: app.logLines.join('\n'),
      'error bodies': bodies.join('\n'),
      metrics: await metrics.text(),
      health: await (await fetch(`${app.baseUrl}/healthz`)).text(),
      'what upstream was sent': JSON.stringify(
        app.upstream.requests.map(({ headers }) => ({ ...headers, authorization: '' })),
      ),
      ...(await dumpTables()),
    };
    expect(metrics.status).toBe(200);
    expect(bodies.length).toBeGreaterThan(20);
    expect(Object.keys(places).length).toBeGreaterThan(12);
    const found = Object.entries(places).flatMap(([place, text]) =>
      secrets.flatMap((secret, index) => (text.includes(secret) ? [`secret ${index} in ${place}`] : [])),
    );
    expect(found).toEqual([]);
  });

  async function callEveryWay(): Promise<void> {
    for (const ending of endings) {
      for (const stream of [false, true]) {
        const messages = [{ role: 'user', content: `${prompt} @@says=json ${ending}` }];
        const { text } = await keep(await app.call(account.secret, { model: 'gpt-4o-mini', messages, stream }));
        if (ending === '') expect(text).toContain(answer);
      }
    }
    const messages = [{ role: 'user', content: prompt }];
    await keep(await app.call(account.secret, { model: 'gpt-4o-mini', messages, max_tokens: prompt }));
    await keep(await app.call(account.secret, { model: 'gpt-4o-mini', messages, max_tokens: 16_000, n: 100 }));
    await keep(await app.call(account.secret, `{"model": "gpt-4o-mini", "messages": "${prompt}`));
    await keep(await app.call(account.secret, { model: 'gpt-4o-mini', messages }, `/nothing?x=${account.secret}`));
    await keep(await app.call(`${account.secret}x`, { model: 'gpt-4o-mini', messages }));
    await keep(await app.call(account.sessionToken, { model: 'gpt-4o-mini', messages }));
    await keep(await fetch(`${app.proxyUrl}/calls/${account.secret}`, bearer(account.secret)));
    await keep(await fetch(`${app.baseUrl}/metrics`, bearer(account.secret)));
    await keep(await fetch(`${app.baseUrl}/export/calls.csv?outcome=${account.secret}`, bearer(account.sessionToken)));
    await keep(await fetch(`${app.baseUrl}/export/account.json`, bearer(account.secret)));
  }

  async function sendEveryMutation() {
    const signUp = 'mutation ($i: SignUpInput!) { signUp(input: $i) { sessionToken } }';
    const signIn = 'mutation ($i: SignInInput!) { signIn(input: $i) { sessionToken } }';
    const change = 'mutation ($i: ChangePasswordInput!) { changePassword(input: $i) }';
    const input = { email: 'canary@example.com', password, name: 'Canary' };
    const response = await postGraphql(app.baseUrl, { query: signUp, variables: { i: input } });
    const cookie = String(/sid=([^;]+)/.exec(String(response.headers.get('set-cookie')))?.[1]);
    const { sessionToken } = ((await response.json()) as { data: { signUp: { sessionToken: string } } }).data.signUp;
    for (const wrong of [
      { ...input, password: `${password}${'x'.repeat(2_000)}` },
      input,
      { ...input, extra: password },
    ]) {
      await ask(signUp, { i: wrong }, null);
    }
    await ask(signIn, { i: { email: password, password } }, null);
    await ask(signIn, { i: { email: input.email, password: `${password}!` } }, null);
    await ask(
      `mutation { signIn(input: { email: "${input.email}", password: "${password}") { sessionToken } }`,
      {},
      null,
    );
    await ask('{ apiKeys { id } }', {}, `${sessionToken}x`);
    await ask('{ apiKeys { id } }', {}, null, { cookie: `sid=${cookie}`, origin: 'https://evil.example' });
    const changedPassword = 'heron-new-battery-8812';
    await ask(change, { i: { currentPassword: changedPassword, newPassword: changedPassword } }, sessionToken);
    await ask(change, { i: { currentPassword: password, newPassword: 'short' } }, sessionToken);
    await ask(change, { i: { currentPassword: password, newPassword: changedPassword } }, sessionToken);
    await ask('mutation ($p: String!) { deleteAccount(input: { password: $p }) }', { p: password }, sessionToken);
    await ask('mutation { signOutEverywhere }', {}, sessionToken);
    await ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: account.secret });
    await ask('{ calls(after: "nonsense") { edges { cursor } } }');
    return { sessionToken, cookie, changedPassword };
  }

  async function dumpTables(): Promise<Record<string, string>> {
    const dump: Record<string, string> = {};
    for (const table of listTableNames()) dump[table] = JSON.stringify(await app.query(`SELECT * FROM ${table}`));
    return dump;
  }
});

function bearer(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}
