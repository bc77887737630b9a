import { createServer, type Server, type ServerResponse } from 'node:http';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { closeServer, listenLocally, portOf } from '../../test/local-server.js';

const question = [{ role: 'user', content: 'Think for minutes' }];
const streams = [
  ['/chat/completions', { messages: question }, /^data: \{"error":/m],
  ['/responses', { input: 'Think for minutes' }, /^event: response\.failed$/m],
  ['/messages', { messages: question, max_tokens: 100 }, /^event: error$/m],
] as const;

describeOnEachDatabase('A stream whose provider thinks', (openTestDatabase) => {
  const waiting: ServerResponse[] = [];
  let provider: Server;
  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume();
      waiting.push(response);
    });
    await listenLocally(provider);
  });
  const app = TestApp.forAll(openTestDatabase, () => ({ OPENAI_BASE_URL: `http://127.0.0.1:${portOf(provider)}/v1` }));
  afterAll(() => closeServer(provider));

  it('has its headers before the first event on every wire; a failure after them is an event, and free', async () => {
    const account = await app.createAccount(5);
    // None of these would ever resolve if the headers waited for the provider.
    const responses = await Promise.all(
      streams.map(([path, body]) => app.call(account.secret, { ...body, model: 'gpt-4o-mini', stream: true }, path)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(waiting).toHaveLength(3);
    for (const response of waiting) response.writeHead(500).end('{"error":{"message":"broken"}}');
    const texts = await Promise.all(responses.map((response) => response.text()));
    for (const [index, [, , failure]] of streams.entries()) expect(texts[index]).toMatch(failure);
    await app.waitUntilSettled(account.accountId);
    expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000, pending: 0 });
  });
});
