import { AzureOpenAI } from 'openai';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const messages = [{ role: 'user' as const, content: 'Hello' }];

describeOnEachDatabase('The paths of Azure’s clients', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${app.baseUrl}${path}?api-version=2024-10-21`, {
      method: 'POST',
      headers: { 'api-key': account.secret, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const posted = async () => (await app.findWallet(account.accountId)).posted;

  it('serve its own client: plain, streamed and as Responses, each charged once', async () => {
    const client = new AzureOpenAI({
      endpoint: app.baseUrl,
      apiKey: account.secret,
      apiVersion: '2024-10-21',
      maxRetries: 0,
    });
    const before = await posted();
    const plain = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
    expect(plain.usage?.total_tokens).toBe(14);
    const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
    const response = await client.responses.create({ model: 'gpt-4o-mini', input: 'Hello' });
    expect(response.usage?.total_tokens).toBe(14);
    await app.waitUntilSettled(account.accountId);
    expect(before - (await posted())).toBe(42);
  });

  it.each(['/openai', '/v1/openai', '/api/proxy.php/openai'])(
    'below %s take the model from the address, whatever the body says',
    async (prefix) => {
      for (const more of [{}, { model: 'demo-small' }]) {
        const count = app.upstream.requests.length;
        const response = await post(`${prefix}/deployments/openai%2Fgpt-4o-mini/chat/completions`, {
          messages,
          ...more,
        });
        expect(response.status).toBe(200);
        expect(app.upstream.requests.length).toBe(count + 1);
      }
    },
  );

  it.each(['chat/completions', 'completions', 'embeddings'])(
    'and those of OpenAI’s clients from before 1.0, /engines/{model}/%s, are calls of that model',
    async (endpoint) => {
      const model = endpoint === 'embeddings' ? 'text-embedding-3-small' : 'gpt-4o-mini';
      const response = await post(`/v1/engines/${model}/${endpoint}`, { messages, prompt: 'Hello', input: 'Hello' });
      expect([response.status, await response.json()]).toMatchObject([200, { model }]);
    },
  );

  it('of two models are two requests: the same Idempotency-Key is refused for the second', async () => {
    const headers = { 'idempotency-key': 'azure-1' };
    expect((await post('/openai/deployments/gpt-4o-mini/chat/completions', { messages }, headers)).status).toBe(200);
    expect((await post('/openai/deployments/gpt-4o/chat/completions', { messages }, headers)).status).toBe(422);
  });

  it('name a model that is none: 404 as for every other call', async () => {
    const response = await post('/openai/deployments/my-deployment/chat/completions', { messages });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });

  it('take the model from the address for a large body, too', async () => {
    const padding = 'x'.repeat(1_100_000);
    const response = await post('/openai/deployments/gpt-4o-mini/chat/completions', { messages, padding });
    expect(response.status).toBe(200);
  });
});
