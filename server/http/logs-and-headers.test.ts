import { renameSync } from 'node:fs';
import { TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';

const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'canary-prompt' }] };

describe('the log of a server', () => {
  const app = TestApp.forAll(openSqliteDatabase, { LOG_COMPLETED_EVERY: '3', PUBLIC_URL: 'https://tollgate.test' });
  const account = app.accountForAll();

  const linesOf = (event: string) =>
    app.logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.event === event);
  const call = async (body: object, headers: Record<string, string> = {}) => {
    const response = await app.call(account.secret, body, '/chat/completions', headers);
    await response.text();
    return response;
  };

  it('has one in so many of the calls that went well, and each one that did not, with the caller’s own id', async () => {
    const before = linesOf('call_completed').length;
    for (let index = 0; index < 6; index += 1) await call(question, { 'x-request-id': `trace/${index}` });
    const logged = linesOf('call_completed').slice(before);
    expect(logged.map(({ callerRequestId, sampledOf }) => [callerRequestId, sampledOf])).toEqual([
      ['trace/2', 3],
      ['trace/5', 3],
    ]);
    const refused = await call({ ...question, model: 'nobody' }, { 'x-request-id': 'trace/7' });
    expect(linesOf('call_refused').at(-1)).toMatchObject({
      callerRequestId: 'trace/7',
      callId: refused.headers.get('x-request-id'),
    });
  });

  it('takes no id of a caller that could pass for something else', async () => {
    for (const id of ['two words', '"quoted"', 'x'.repeat(129), '<script>']) {
      await call({ ...question, model: 'nobody' }, { 'x-request-id': id });
      expect(linesOf('call_refused').at(-1)).not.toHaveProperty('callerRequestId');
    }
  });

  it('names each GraphQL operation and its fields, and never a value', async () => {
    const query = 'mutation SignsIn($input: SignInInput!) { signIn(input: $input) { sessionToken } }';
    const input = { email: 'canary-mail@example.com', password: 'canary-password' };
    await expect(app.graphql(query, { input })).rejects.toThrow();
    expect(linesOf('graphql_operation').at(-1)).toMatchObject({
      ...{ kind: 'mutation', name: 'SignsIn', fields: ['signIn'], accountId: null },
      errorCodes: [expect.any(String)],
    });
    await app.graphql('{ apiKeys { id } }', {}, account.sessionToken);
    expect(linesOf('graphql_operation').at(-1)).toMatchObject({
      name: null,
      accountId: account.accountId,
      errorCodes: [],
    });
    expect(app.logLines.filter((line) => line.includes('canary'))).toEqual([]);
  });

  it.each([
    ['POST', '/api/proxy.php'],
    ['GET', '/v1/models'],
    ['GET', '/v1/nothing'],
    ['POST', '/playground/chat/completions'],
    ['POST', '/playground/estimate'],
    ['POST', '/graphql'],
    ['GET', '/export/calls.csv'],
    ['GET', '/docs'],
    ['GET', '/schema.graphql'],
    ['GET', '/openapi.json'],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/livez'],
    ['GET', '/metrics'],
    ['GET', '/'],
    ['GET', '/assets/nothing.js'],
    ['GET', '/nothing'],
    ['POST', '/checkout/simulated/x/pay'],
  ])('%s %s tells browsers to run nothing inline, frame nothing and guess no type', async (method, path) => {
    const { headers } = await fetch(app.baseUrl + path, { method, redirect: 'manual' });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=31536000/);
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('the log of a server that has lost its database', () => {
  it('has a line with code and reason, and no stack, of each request that an outage refuses', async () => {
    const database = await openSqliteDatabase();
    const { file } = database.address as { readonly file: string };
    // Each call asks the database for a hold.
    const app = await TestApp.start(database, { CREDIT_LEASES: 'off' });
    const { secret, sessionToken } = await app.createAccount();
    renameSync(file, `${file}.away`);
    const refused = await app.call(secret, question);
    const headers = { authorization: `Bearer ${sessionToken}` };
    const download = await fetch(`${app.baseUrl}/export/account.json`, { headers });
    renameSync(`${file}.away`, file);
    for (const response of [refused, download]) {
      expect(response.status).toBe(503);
      await response.text();
    }
    const lines = app.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const event of ['call_refused', 'export_failed']) {
      const line = lines.findLast((one) => one.event === event);
      expect(line).toMatchObject({ code: 'service_unavailable', status: 503, innerReason: expect.any(String) });
      expect(line).not.toHaveProperty('error');
    }
    await app.close();
  });
});
