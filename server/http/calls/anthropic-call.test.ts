import OpenAI from 'openai';
import { type ClaudeApp, runWithClaude } from '../../test/claude-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { anthropicTokens } from '../../test/fake-anthropic.js';

const operatorKey = 'sk-ant-operator-canary-0123456789';
const models = [
  ['claude-haiku-5-5', 1],
  ['claude-opus-5', 2],
] as const;

describeOnEachDatabase('A call of Claude', (openTestDatabase) => {
  let { claude, app, account } = {} as ClaudeApp;
  runWithClaude({ openTestDatabase, dollars: 10, operatorKey }, (started) => {
    ({ claude, app, account } = started);
  });

  const client = () => new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0 });
  const ask = (model: string, text = 'Hi') => ({
    model,
    messages: [{ role: 'user' as const, content: text }],
    max_tokens: 60,
  });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);
  const receiptOf = async (response: Response) => {
    const callId = response.headers.get('x-request-id');
    const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${callId}'`);
    return receipt;
  };

  it.each(models)(
    'in one piece is charged its whole prompt, cache included, and its answer: %s',
    async (model, price) => {
      const charged = await chargeOf(async () => {
        const answer = await client().chat.completions.create(ask(model));
        expect(answer).toMatchObject({
          model,
          choices: [{ finish_reason: 'stop', message: { content: 'Grüße from Claude' } }],
        });
        expect(answer.usage).toMatchObject({
          prompt_tokens: 200,
          completion_tokens: 50,
          total_tokens: 250,
          prompt_tokens_details: { cached_tokens: 128, cache_write_tokens: 32 },
        });
      });
      expect(charged).toBe((anthropicTokens.prompt + anthropicTokens.completion) * price);
    },
  );

  it.each(models)('in a stream is charged the same, and reads as OpenAI’s: %s', async (model, price) => {
    let text = '';
    const finishReasons: unknown[] = [];
    const totals: unknown[] = [];
    const charged = await chargeOf(async () => {
      const options = { stream: true, stream_options: { include_usage: true } } as const;
      for await (const chunk of await client().chat.completions.create({ ...ask(model), ...options })) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (chunk.choices[0]?.finish_reason) finishReasons.push(chunk.choices[0].finish_reason);
        if (chunk.usage) totals.push(chunk.usage.total_tokens);
      }
    });
    expect({ text, finishReasons, totals }).toEqual({
      text: 'Grüße from Claude',
      finishReasons: ['stop'],
      totals: [250],
    });
    expect(charged).toBe(250 * price);
  });

  it('goes to Anthropic with our key, the cap that was held, and no key of the caller’s', async () => {
    await app.call(account.secret, { ...ask('anthropic/claude-opus-5'), user: 'jane@example.org' });
    const call = claude.calls.at(-1);
    expect(call?.path).toBe('/v1/messages');
    expect(call?.headers).toMatchObject({ 'x-api-key': operatorKey, 'anthropic-version': '2023-06-01' });
    expect(call?.headers).not.toHaveProperty('authorization');
    expect(call?.body).toMatchObject({ model: 'claude-opus-5', max_tokens: 60, service_tier: 'standard_only' });
    expect(JSON.stringify(call)).not.toContain('jane');
    expect(JSON.stringify(call)).not.toContain(account.secret);
  });

  it('that is refused before its first byte is free, and says nothing of our account', async () => {
    const charged = await chargeOf(async () => {
      for (const stream of [false, true]) {
        const response = await app.call(account.secret, { ...ask('claude-opus-5', '@@overloaded'), stream });
        expect(response.status).toBe(503);
        expect(response.headers.get('retry-after')).toBe('2');
        const text = await response.text();
        expect(text).toContain('provider_overloaded');
        expect(text).not.toMatch(/Tollgate123|req_011|canary|127\.0\.0\.1/);
      }
    });
    expect(charged).toBe(0);
  });

  it.each([
    ['@@error-event', 'provider_overloaded'],
    ['@@cut', 'provider_error'],
  ])(
    'that fails in the middle (%s) ends in one error, and is charged for the prompt and what came',
    async (verb, code) => {
      let receipt: Record<string, unknown> | undefined;
      const charged = await chargeOf(async () => {
        const response = await app.call(account.secret, { ...ask('claude-opus-5', verb), stream: true });
        const text = await response.text();
        expect(text).toContain('Grüße');
        expect(text).toContain(code);
        expect(text).not.toMatch(/\[DONE\]|Tollgate123/);
        receipt = await receiptOf(response);
      });
      expect(receipt).toMatchObject({ outcome: 'interrupted', error_code: code, usage_source: 'estimated' });
      // The prompt as Anthropic counted it at the start; of the answer, the twelve bytes or so that were seen.
      expect(Number(receipt?.prompt_tokens)).toBe(anthropicTokens.prompt);
      expect(Number(receipt?.completion_tokens)).toBeGreaterThan(0);
      expect(Number(receipt?.completion_tokens)).toBeLessThan(anthropicTokens.completion);
      expect(charged).toBe((Number(receipt?.prompt_tokens) + Number(receipt?.completion_tokens)) * 2);
    },
  );

  it('that cannot be translated is refused by name, and is free', async () => {
    const charged = await chargeOf(async () => {
      const response = await app.call(account.secret, { ...ask('claude-opus-5'), n: 2 });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'unsupported_value', param: 'n' } });
    });
    expect(charged).toBe(0);
  });
});
