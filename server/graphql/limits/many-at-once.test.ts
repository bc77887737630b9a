import { mock } from 'node:test';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { CallReader } from '../../usage/requests/call-reader.js';

describeOnEachDatabase('GraphQL of one who asks for more at once than it can answer', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  afterEach(() => mock.restoreAll());

  it('runs eight, has as many wait as may, and answers others meanwhile: their pages, calls and its health', async () => {
    const [asker, other] = [await app.createAccount(0), await app.createAccount(5)];
    const ask = (query: string, { sessionToken } = asker) =>
      fetch(`${app.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${sessionToken}` },
        body: JSON.stringify({ query }),
      });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let [running, most] = [0, 0];
    const { listCalls } = CallReader.prototype;
    mock.method(CallReader.prototype, 'listCalls', async function (this: CallReader, ...args: []) {
      running += 1;
      most = Math.max(most, running);
      await opened;
      running -= 1;
      return Reflect.apply(listCalls, this, args);
    });
    let refusedCount = 0;
    let tellRefused = () => {};
    const allRefused = new Promise<void>((resolve) => {
      tellRefused = resolve;
    });
    const answers = Array.from({ length: 600 }, async () => {
      const answer = await ask('{ calls(first: 1) { edges { cursor } } }');
      if (answer.status !== 200) refusedCount += 1;
      if (refusedCount === 600 - 8 - 512) tellRefused();
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
    });
    await allRefused;
    expect(most).toBe(8);
    expect(await (await ask('{ models { id } }', other)).json()).toMatchObject({ data: { models: expect.any(Array) } });
    const call = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };
    const called = await app.call(other.secret, call);
    expect(called.status).toBe(200);
    await called.text();
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await fetch(app.baseUrl + path)).status).toBe(200);
    open();
    const ended = await Promise.all(answers);
    const countOf = (sought: number) => ended.filter(({ status }) => status === sought).length;
    // A busy machine may take the last ones only when others have waited for 20 seconds, and have left their places to them.
    const [begun, refused, late] = [countOf(200), countOf(429), countOf(503)];
    expect(begun + refused + late).toBe(600);
    if (late === 0) expect(begun).toBe(8 + 512);
    expect(refused).toBeLessThanOrEqual(600 - 8 - 512);
    expect(refused + late).toBeGreaterThanOrEqual(600 - 8 - 512);
    for (const answer of ended.filter(({ status }) => status === 429)) {
      expect(answer).toMatchObject({ retryAfter: '1', body: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] } });
    }
    expect(most).toBe(8);
  });
});
