import OpenAI from 'openai';
import { listCaptured } from '../../test/captured-requests.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

describeOnEachDatabase('POST /completions', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(20);

  const client = () => new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0 });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);

  it('answers text with text, and charges exactly its tokens', async () => {
    let tokens = 0;
    const charged = await chargeOf(async () => {
      const answer = await client().completions.create({ model: 'gpt-4o-mini', prompt: 'Hi', max_tokens: 5 });
      expect(answer).toMatchObject({ object: 'text_completion', choices: [{ index: 0, text: 'Hello from upstream' }] });
      tokens = answer.usage?.total_tokens ?? 0;
    });
    expect(tokens).toBeGreaterThan(0);
    expect(charged).toBe(tokens);
  });

  it('streams text, with usage for who asks', async () => {
    let tokens = 0;
    let text = '';
    const charged = await chargeOf(async () => {
      const stream = await client().completions.create({
        model: 'gpt-4o-mini',
        prompt: ['Hi'],
        stream: true,
        stream_options: { include_usage: true },
      });
      for await (const piece of stream) {
        text += piece.choices[0]?.text ?? '';
        tokens = piece.usage?.total_tokens ?? tokens;
      }
    });
    expect(text).toBe('Hello from upstream');
    expect(charged).toBe(tokens);
  });

  it.each(listCaptured('/v1/completions'))('answers what was captured of %s', async (_, { body }) => {
    const response = await app.call(account.secret, { ...body, model: 'gpt-4o-mini' }, '/completions');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Hello');
  });

  it.each([
    [{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
    [{ prompt: [1, 2] }, 'invalid_type', 'prompt'],
    [{ prompt: ['a', 'b'] }, 'invalid_type', 'prompt'],
    [{ prompt: 'Hi', suffix: 'x' }, 'unsupported_parameter', 'suffix'],
    [{ prompt: 'Hi', echo: true }, 'unsupported_parameter', 'echo'],
    [{ prompt: 'Hi', best_of: 3 }, 'unsupported_parameter', 'best_of'],
    [{ prompt: 'Hi', logprobs: 2 }, 'unsupported_parameter', 'logprobs'],
    [{ prompt: 'Hi', max_tokens: 0 }, 'invalid_value', 'max_tokens'],
  ])('refuses %j by name', async (fields, code, param) => {
    const response = await app.call(account.secret, { model: 'gpt-4o-mini', ...fields }, '/completions');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param } });
  });
});

describeOnEachDatabase('What clients of other services write', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(20);

  const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };

  it('OpenRouter’s `usage: {include: true}` brings usage into a stream', async () => {
    const response = await app.call(account.secret, { ...hello, stream: true, usage: { include: true } });
    expect(await response.text()).toMatch(/"choices":\[\],"usage":\{/);
  });

  it('a misspelt model is told the nearest ones', async () => {
    const response = await app.call(account.secret, { ...hello, model: 'gpt4o-mini' });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('Did you mean `gpt-4o-mini`');
  });

  it('HEAD /models is answered without a body', async () => {
    const response = await fetch(`${app.proxyUrl}/models`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});
