import Anthropic from '@anthropic-ai/sdk';
import { type ClaudeApp, runWithClaude } from '../../test/claude-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

describeOnEachDatabase('A call of Claude by a client of Anthropic', (openTestDatabase) => {
  let { claude, app, account } = {} as ClaudeApp;
  runWithClaude({ openTestDatabase }, (started) => {
    ({ claude, app, account } = started);
  });

  const client = () => new Anthropic({ baseURL: app.baseUrl, apiKey: account.secret, maxRetries: 0 });
  const ask = (content: string, model = 'claude-opus-5') => ({
    model,
    max_tokens: 4_000,
    messages: [{ role: 'user' as const, content }],
  });

  const sentFor = async (fields: object, model: string) => {
    await client().messages.create({ ...ask('Hi', model), ...fields });
    return claude.calls.at(-1)?.body as { thinking?: unknown; output_config?: unknown };
  };
  const adaptive = { type: 'adaptive', display: 'summarized' };

  it.each([
    [{ thinking: { type: 'adaptive' } }, 'claude-opus-4-8', adaptive, { effort: 'high' }],
    [{ thinking: { type: 'adaptive' } }, 'claude-opus-5', adaptive, { effort: 'high' }],
    [
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      'claude-opus-4-8',
      adaptive,
      { effort: 'low' },
    ],
    [{ output_config: { effort: 'low' } }, 'claude-opus-4-8', undefined, { effort: 'low' }],
    [{ output_config: { effort: 'low' } }, 'claude-opus-5', undefined, { effort: 'low' }],
    [{ output_config: { effort: 'low' } }, 'claude-opus-4-5', undefined, undefined],
    [{ thinking: { type: 'disabled' } }, 'claude-opus-5', { type: 'disabled' }, undefined],
    [{ thinking: { type: 'between_tools' } }, 'claude-sonnet-5-5', { type: 'between_tools' }, undefined],
    [
      { thinking: { type: 'between_tools' }, output_config: { effort: 'low' } },
      'claude-sonnet-5-5',
      { type: 'between_tools' },
      { effort: 'low' },
    ],
    [{}, 'claude-opus-4-8', undefined, undefined],
  ])(
    'thinks when thinking is asked for, and how much is said apart from it: %j of %s',
    async (fields, model, thinking, effort) => {
      const sent = await sentFor(fields, model);
      expect([sent.thinking, sent.output_config]).toEqual([thinking, effort]);
    },
  );

  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const five = ['a', 'b', 'c', 'd', 'e'];
  it.each([
    [{ stop_sequences: five }, 'claude-opus-5', { stop_sequences: five }],
    [{ top_k: 5, temperature: 0.5 }, 'claude-sonnet-4-5', { top_k: 5, temperature: 0.5 }],
    [
      { output_format: { type: 'json_schema', schema } },
      'claude-opus-5',
      { output_config: { format: { type: 'json_schema' } } },
    ],
  ])('takes what Claude takes: %j of %s', async (fields, model, sent) => {
    expect(await sentFor(fields, model)).toMatchObject(sent);
  });

  it.each([
    [{ stop_sequences: five }, 'gpt-4o-mini', "takes at most 4 texts in 'stop' ('stop_sequences' of Messages)"],
    [{ top_k: -1 }, 'claude-opus-5', "Invalid 'top_k'"],
    [{ thinking: { type: 'between_tools' } }, 'claude-opus-5', 'for this model. Send'],
    [{ speed: 'fast' }, 'claude-opus-5', "'speed' is not offered here"],
    [
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      'claude-opus-5',
      "'bash_20250124', which only Anthropic defines",
    ],
  ])(
    'refuses in words that are true, and for nothing, what the model is not sent: %j of %s',
    async (fields, model, words) => {
      const charged = await app.chargeOf(account, async () => {
        await expect(client().messages.create({ ...ask('Hi', model), ...fields } as never)).rejects.toThrow(words);
      });
      expect(charged).toBe(0);
    },
  );

  it('leaves thinking between tools out for a model that never thinks', async () => {
    const fields = { thinking: { type: 'between_tools' } };
    const answer = await client().messages.create({ ...ask('Hi', 'gpt-4o-mini'), ...fields } as never);
    expect(answer).toMatchObject({ stop_reason: 'end_turn' });
  });

  it.each([
    ['@@stop-sequence', 'stop_sequence', '</x>'],
    ['@@context-full', 'model_context_window_exceeded', null],
    ['Hi', 'end_turn', null],
  ])('is told why it stopped in Claude’s own words, plain and streamed: %s', async (word, reason, sequence) => {
    const plain = await client().messages.create(ask(word));
    const streamed = await client().messages.stream(ask(word)).finalMessage();
    for (const { stop_reason, stop_sequence } of [plain, streamed]) {
      expect([stop_reason, stop_sequence]).toEqual([reason, sequence]);
    }
  });

  it.each([
    ['@@stop-sequence', 'stop'],
    ['@@context-full', 'length'],
  ])('says the same to chat completions in OpenAI’s words alone: %s', async (word, reason) => {
    const plain = await (await app.call(account.secret, ask(word))).text();
    const streamed = await (await app.call(account.secret, { ...ask(word), stream: true })).text();
    for (const text of [plain, streamed]) {
      expect(text).toContain(`"finish_reason":"${reason}"`);
      expect(text).not.toMatch(/<\/x>|stop_sequence|context/);
    }
  });
});
