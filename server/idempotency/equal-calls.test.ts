import OpenAI from 'openai';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

const chatOf = (text: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: text }] });
const tokensPerCall = 14;

describeOnEachDatabase('Equal plain calls side by side', (openTestDatabase) => {
  let app: TestApp;
  let beside: TestApp;
  let account: TestAccount;
  beforeAll(async () => {
    [beside, app] = (await TestApp.startTwo(await openTestDatabase())) as [TestApp, TestApp];
    account = await app.createAccount(50);
  });
  afterAll(async () => {
    await beside.close();
    await app.close();
  });

  const sentUpstream = (text: string) =>
    [app, beside].flatMap(({ upstream }) => upstream.requests).filter((request) => request.text.includes(text)).length;
  const countKept = async () =>
    (await app.query('SELECT call_id FROM idempotent_answer WHERE is_finished = true')).length;
  beforeEach(() => app.query('DELETE FROM idempotent_answer'));

  /** Asks on one server as OpenAI's clients do on their n-th retry. @returns the call that the answer is of, and whether it was given again. */
  const ask = async (server: TestApp, path: string, body: object, retryCount: number) => {
    const response = await server.call(account.secret, body, path, { 'x-stainless-retry-count': String(retryCount) });
    await response.text();
    const { status, headers } = response;
    return { status, callId: headers.get('x-generation-id'), isReplay: headers.get('idempotency-replayed') === 'true' };
  };
  /** Asks, and leaves as soon as the provider has it. */
  const askAndLeave = async (server: TestApp, path: string, body: object, text: string) => {
    const before = sentUpstream(text);
    const leaving = new AbortController();
    const lost = server.call(account.secret, body, path, {}, leaving.signal);
    lost.catch(() => {});
    await eventually(() => sentUpstream(text) > before);
    leaving.abort();
    await expect(lost).rejects.toThrow();
  };

  it('of OpenAI’s own client, which gives up before each answer, are had one by one: as many answers as calls and charges', async () => {
    const client = new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, timeout: 500, maxRetries: 6 });
    const charged = await app.chargeOf(account, async () => {
      const calls = Array.from({ length: 4 }, () =>
        client.chat.completions.create(chatOf('@@delay=1200 four samples')).withResponse(),
      );
      const answers = await Promise.all(calls);
      const ids = new Set(answers.map(({ response }) => response.headers.get('x-generation-id')));
      expect(ids.size).toBe(4);
      for (const { data } of answers) expect(data.usage?.total_tokens).toBe(tokensPerCall);
    });
    expect(sentUpstream('four samples')).toBe(4);
    expect(charged).toBe(4 * tokensPerCall);
  }, 60_000);

  it.each([
    ['chat', '/chat/completions', (text: string) => chatOf(text)],
    ['Responses', '/responses', (text: string) => ({ model: 'gpt-4o-mini', input: text })],
    ['Messages', '/messages', (text: string) => ({ ...chatOf(text), max_tokens: 50 })],
    ['embeddings', '/embeddings', (text: string) => ({ model: 'text-embedding-3-small', input: text, dimensions: 8 })],
  ])(
    'on %s that were left are given each to one retry, on two servers; once all are taken, one more is a call of its own',
    async (wire, path, bodyOf) => {
      const text = `@@delay=30 left on ${wire}`;
      const body = bodyOf(text);
      for (const server of [app, beside, app]) await askAndLeave(server, path, body, text);
      await eventually(async () => (await countKept()) === 3);
      const answers = await Promise.all([app, beside, beside].map((server) => ask(server, path, body, 1)));
      expect(answers.map(({ status, isReplay }) => [status, isReplay])).toEqual(Array(3).fill([200, true]));
      expect(new Set(answers.map(({ callId }) => callId)).size).toBe(3);
      expect(sentUpstream(text)).toBe(3);
      const more = await ask(beside, path, body, 1);
      expect([more.status, more.isReplay]).toEqual([200, false]);
      expect(sentUpstream(text)).toBe(4);
      // Whoever says to have asked once more is given an answer again, as when it was lost on its way.
      expect((await ask(app, path, body, 2)).isReplay).toBe(true);
      expect(sentUpstream(text)).toBe(4);
    },
  );
});
