import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { checkStreamedAnswer } from '../../test/openai-shape.js';

const ask = (text: string, more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: text }],
  ...more,
});

interface Receipt {
  readonly outcome: string;
  readonly finish_reason: string;
  readonly usage_source: string;
  readonly prompt_tokens: number | string;
  readonly completion_tokens: number | string;
  readonly held_millicredits: number | string;
  readonly charged_millicredits: number | string;
  readonly absorbed_millicredits: number | string;
}

describeOnEachDatabase('A provider that does not say what an answer used', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(50);

  const call = async (body: object) => {
    const response = await app.call(account.secret, body);
    const text = await response.text();
    const [receipt] = (await app.query(
      `SELECT * FROM call_record WHERE call_id = '${response.headers.get('x-generation-id')}'`,
    )) as unknown as Receipt[];
    return { response, text, receipt: receipt as Receipt };
  };
  const tokensOf = ({ prompt_tokens, completion_tokens }: Receipt) => [
    Number(prompt_tokens),
    Number(completion_tokens),
  ];

  // 'Hello from upstream' has 3 tokens. Of the prompt the text is counted, and a quarter of the frames' bound of 80.
  const frames = (64 + 16) / 4;
  it.each([
    ['plain', 'no-usage', {}],
    ['streamed', 'no-usage', { stream: true }],
    ['plain', 'usage=null,null', {}],
    ['plain', 'usage=0,0', {}],
    ['plain', 'usage=-5,3', {}],
    ['plain', 'usage=1.5,3', {}],
    ['plain', 'usage=1e400,3', {}],
    ['streamed', 'usage=1e400,3', { stream: true }],
    ['plain', 'usage="11",3', {}],
    ['streamed', 'usage=99999999,3', { stream: true }],
  ])('%s, @@%s: the tokenizer’s count, marked as an estimate', async (_, verb, more) => {
    const text = `@@${verb} Hello, how are you?`;
    const { response, receipt } = await call(ask(text, more));
    expect(response.status).toBe(200);
    expect(receipt).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
    const [prompt = 0, completion] = tokensOf(receipt);
    expect(completion).toBe(3);
    expect(prompt).toBeGreaterThan(frames + 5);
    expect(prompt).toBeLessThan(frames + text.length);
    expect(Number(receipt.charged_millicredits)).toBe(prompt + 3);
    expect((await call(ask(text, more))).receipt).toMatchObject({ prompt_tokens: receipt.prompt_tokens });
  });

  it('a caller who left, and a stream that broke: the tokenizer’s count of what had come', async () => {
    const { receipt } = await call(ask('@@cut=2', { stream: true }));
    expect(receipt).toMatchObject({ outcome: 'interrupted', usage_source: 'estimated' });
    expect(tokensOf(receipt)[1]).toBe(2);
  });

  it.each([
    ['one letter', 'x', 5_000_000],
    ['spaces', ' ', 1_000_000],
    ['pictograms', '🙂', 500_000],
  ])('a prompt of millions of %s: charged within the hold, and other calls go on', async (_, unit, length) => {
    const hostile = call(ask(`@@no-usage ${unit.repeat(length / unit.length)}`, { max_tokens: 20 }));
    const others = await Promise.all(Array.from({ length: 20 }, () => call(ask('@@no-usage Hi'))));
    for (const { receipt } of others) expect(receipt.usage_source).toBe('estimated');
    const { response, receipt } = await hostile;
    expect(response.status).toBe(200);
    expect(Number(receipt.charged_millicredits)).toBeGreaterThan(1_000);
    expect(Number(receipt.charged_millicredits)).toBeLessThanOrEqual(Number(receipt.held_millicredits));
  });

  it('an answer longer than was held for is charged at its cap, and the operator absorbs nothing', async () => {
    const { receipt } = await call(ask('@@no-usage @@ignore-cap @@big=50000', { max_tokens: 10 }));
    expect(tokensOf(receipt)[1]).toBe(10);
    expect(Number(receipt.absorbed_millicredits)).toBe(0);
    expect(Number(receipt.charged_millicredits)).toBeLessThanOrEqual(Number(receipt.held_millicredits));
  });
});

describeOnEachDatabase('A provider that ignores the output cap', (openTestDatabase) => {
  const metricsToken = 'a-metrics-token-of-a-test-0123456789';
  const app = TestApp.forAll(openTestDatabase, { METRICS_TOKEN: metricsToken });
  const account = app.accountForAll(5);

  const readMetric = async () => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    const [, value] = /^tollgate_output_caps_ignored_total (\d+)$/m.exec(await response.text()) ?? [];
    return Number(value);
  };
  const findReceipt = async (response: Response) => {
    const [receipt] = (await app.query(
      `SELECT * FROM call_record WHERE call_id = '${response.headers.get('x-generation-id')}'`,
    )) as unknown as Receipt[];
    return receipt as Receipt;
  };

  it('has its stream cut and its request broken off; the caller gets a clean end, and pays for the cap', async () => {
    const ignoredBefore = await readMetric();
    const body = ask('@@ignore-cap @@words=100000', {
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    });
    const response = await app.call(account.secret, body);
    const text = await response.text();
    checkStreamedAnswer(text);
    expect(text).toContain('"finish_reason":"length"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await app.upstream.requests.at(-1)?.wasCutOff).toBe(true);
    const pieces = text.split('" word"').length - 1;
    expect(pieces).toBeGreaterThan(100);
    expect(pieces).toBeLessThan(1_000);

    const receipt = await findReceipt(response);
    expect(receipt).toMatchObject({ outcome: 'completed', finish_reason: 'length', usage_source: 'estimated' });
    expect(Number(receipt.completion_tokens)).toBe(100);
    expect(Number(receipt.charged_millicredits)).toBe(Number(receipt.prompt_tokens) + 100);
    expect(Number(receipt.absorbed_millicredits)).toBe(0);
    expect(await readMetric()).toBe(ignoredBefore + 1);
    expect(app.logLines.join('')).toContain('output_cap_ignored');
  });

  it('is not suspected for a long answer within its cap', async () => {
    const ignoredBefore = await readMetric();
    const response = await app.call(account.secret, ask('@@words=3000', { max_tokens: 3_000, stream: true }));
    expect((await response.text()).split('" word"')).toHaveLength(3_001);
    expect(await findReceipt(response)).toMatchObject({ usage_source: 'reported', outcome: 'completed' });
    expect(await readMetric()).toBe(ignoredBefore);
  });

  it('is not cut when it reports too much only at the end: one reason to finish, and what was seen is paid', async () => {
    const body = ask('@@usage=11,5000 @@usage-on-finish', { max_tokens: 10, stream: true });
    const response = await app.call(account.secret, body);
    const text = await response.text();
    checkStreamedAnswer(text);
    expect(text.split('"finish_reason":"')).toHaveLength(2);
    const receipt = await findReceipt(response);
    expect(receipt).toMatchObject({ usage_source: 'estimated', finish_reason: 'stop' });
    expect(Number(receipt.completion_tokens)).toBe(3);
  });

  it('plain, far past its cap, however honestly: the cap is paid, and the rest of the balance stays', async () => {
    const poor = await app.createAccount(0);
    await app.setBalance(poor.accountId, 300);
    const response = await app.call(poor.secret, ask('@@ignore-cap @@tokens=1000', { max_tokens: 10 }));
    expect(response.status).toBe(200);
    expect(await app.findWallet(poor.accountId)).toEqual({ posted: 300 - 11 - 10, pending: 0 });
    expect(await findReceipt(response)).toMatchObject({ usage_source: 'estimated' });
  });
});
