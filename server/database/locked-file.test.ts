import { TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { Sqlite } from './sqlite-driver.js';

const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };
const signIn =
  'mutation { signIn(input: { email: "person-1@example.com", password: "a long enough password" }) { sessionToken } }';

describe('a server whose SQLite file another program keeps locked', () => {
  it('lives, says that it does not serve, turns calls and sign-ins away with a wait to name, and serves when it is let go', async () => {
    const database = await openSqliteDatabase();
    const app = await TestApp.start(database);
    const { secret, accountId } = await app.createAccount();
    const holder = new Sqlite((database.address as { file: string }).file);
    const askGraphql = async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query: signIn });
      const response = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body });
      return (await response.json()) as object;
    };
    holder.exec('BEGIN IMMEDIATE');
    const [call, answer, ready] = await Promise.all([
      app.call(secret, ask),
      askGraphql(),
      fetch(`${app.baseUrl}/readyz`),
      // Answered long before the others, or the time of this test is over.
      ...Array.from({ length: 20 }, () => fetch(`${app.baseUrl}/livez`)),
    ]);
    expect([call.status, call.headers.get('retry-after'), ready.status]).toEqual([503, '2', 503]);
    expect(await call.json()).toMatchObject({ error: { code: 'service_unavailable' } });
    const extensions = { code: 'INTERNAL', reason: 'service_unavailable', retryAfterSeconds: 2 };
    expect(answer).toMatchObject({ errors: [{ extensions }] });
    holder.close();
    expect((await app.call(secret, ask)).status).toBe(200);
    expect(await askGraphql()).toMatchObject({ data: { signIn: { sessionToken: expect.any(String) } } });
    await app.waitUntilSettled(accountId);
    await app.close();
  }, 60_000);
});
