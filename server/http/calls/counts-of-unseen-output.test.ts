import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const questions: Readonly<Record<string, (content: string, cap?: number) => object>> = {
  '/chat/completions': (content, cap) => ({ messages: [{ role: 'user', content }], max_tokens: cap }),
  '/completions': (prompt, cap) => ({ prompt, max_tokens: cap }),
  '/responses': (input, cap) => ({ input, max_output_tokens: cap }),
  '/messages': (content, cap = 16_000) => ({ messages: [{ role: 'user', content }], max_tokens: cap }),
};
const wires = Object.keys(questions).flatMap((wire) => [false, true].map((stream) => [wire, stream] as const));

// 'Hello from upstream' has 3 tokens.
const shownTokens = 3;

describeOnEachDatabase('Output that a provider counts and nobody was shown', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(500);

  const ask = async (wire: string, model: string, content: string, more: { stream?: boolean; cap?: number } = {}) => {
    const { stream = false, cap } = more;
    const response = await app.call(account.secret, { model, stream, ...questions[wire]?.(content, cap) }, wire);
    const text = await response.text();
    expect({ status: response.status, text: text.slice(0, 300) }).toMatchObject({ status: 200 });
    const id = response.headers.get('x-generation-id');
    const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`);
    expect(Number(receipt?.absorbed_millicredits)).toBe(0);
    return { text, source: receipt?.usage_source, outputTokens: Number(receipt?.completion_tokens) };
  };

  it.each(wires)(
    'is not charged of a model that does not reason, only the text is, and the operator is told: %s, streamed: %s',
    async (wire, stream) => {
      for (const counts of ['11,9000000', '11,9000', '9000000,9000000', '11,9000 @@usage-on-finish']) {
        const { text, ...billed } = await ask(wire, 'gpt-4o-mini', `@@usage=${counts} Hello`, { stream });
        expect({ counts, ...billed }).toEqual({ counts, source: 'estimated', outputTokens: shownTokens });
        expect(text).not.toContain('9000');
      }
      expect(app.logLines.join('')).toContain('"reason":"output_above_answer"');
    },
  );

  it.each(wires)(
    'is charged as reported where the model may have reasoned, and where its provider counted reasoning: %s, streamed: %s',
    async (wire, stream) => {
      const reasoned = await ask(wire, 'gpt-5-mini', '@@usage=11,9000 Hello', { stream });
      expect(reasoned).toMatchObject({ source: 'reported', outputTokens: 9_000 });
      const details = '"completion_tokens_details":{"reasoning_tokens":8950}';
      const counted = await ask(wire, 'gpt-4o-mini', `@@usage=11,9000,${details} Hello`, { stream });
      expect(counted).toMatchObject({ source: 'reported', outputTokens: 9_000 });
    },
  );

  it.each(wires)(
    'is charged no further than the fastest model could have reasoned where the count is above its cap: %s, streamed: %s',
    async (wire, stream) => {
      const { outputTokens } = await ask(wire, 'gpt-5-mini', '@@usage=11,9000000 Hello', { stream, cap: 16_000 });
      expect(outputTokens).toBe(shownTokens);
    },
  );

  it('does not end a stream that counts too much before its words, and these are charged', async () => {
    const { text, ...billed } = await ask(
      '/chat/completions',
      'gpt-4o-mini',
      '@@usage=11,9000000 @@usage-first @@no-usage @@words=200',
      { stream: true, cap: 300 },
    );
    expect(text.split('" word"')).toHaveLength(201);
    expect(billed).toEqual({ source: 'estimated', outputTokens: 200 });
  });

  it('is not taken for reasoning where nothing was shown: such an answer is free', async () => {
    const { source, outputTokens } = await ask('/chat/completions', 'gpt-4o-mini', '@@tokens=0 @@usage=11,9000 Hello');
    expect({ source, outputTokens }).toEqual({ source: 'none', outputTokens: 0 });
  });
});
