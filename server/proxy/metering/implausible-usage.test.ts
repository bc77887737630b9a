import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { findImplausibleReason } from './implausible-usage.js';

describe('findImplausibleReason', () => {
  const meter = {
    promptTokensMax: 400,
    outputTokensMax: 1_000,
    outputBytes: 400,
    hasUnasked: false,
    isOutputBelieved: true,
    runningChoices: [],
  };
  const judge = (inputTokens: number, outputTokens: number, reasoningTokens: number | null = null) =>
    findImplausibleReason({ inputTokens, outputTokens, reasoningTokens }, meter);

  it.each([
    ['what an honest provider reports', [100, 100], null],
    ['an answer as long as its cap', [100, 1_000], null],
    ['a tokenizer that counts half as much again', [100, 1_500], null],
    ['more than that', [100, 1_501], 'output_above_cap'],
    ['a prompt with a long preface', [1_424, 100], null],
    ['a prompt of more tokens than bytes', [1_425, 100], 'prompt_above_bound'],
    ['reasoning within the cap', [100, 1_000, 990], null],
  ] as const)('%s: %j is %s', (_, counts, reason) => {
    expect(judge(counts[0], counts[1], counts[2] ?? null)).toBe(reason);
  });

  it('is that of more choices than were asked for, whatever it is', () => {
    const counts = { inputTokens: 100, outputTokens: 100, reasoningTokens: null };
    expect(findImplausibleReason(counts, { ...meter, hasUnasked: true, isOutputBelieved: false })).toBe(
      'unasked_choices',
    );
  });

  it('suspects a hundred times the estimate, and no reasoning', () => {
    const wide = {
      promptTokensMax: 40,
      outputTokensMax: 100_000,
      outputBytes: 40,
      hasUnasked: false,
      isOutputBelieved: true,
      runningChoices: [],
    };
    const usage = (outputTokens: number, reasoningTokens: number | null) => ({
      ...{ inputTokens: 10, outputTokens, reasoningTokens },
    });
    expect(findImplausibleReason(usage(50_000, null), wide)).toBe('far_above_estimate');
    expect(findImplausibleReason(usage(50_000, 49_990), wide)).toBeNull();
    expect(findImplausibleReason(usage(4_000, null), wide)).toBeNull();
  });
});

describeOnEachDatabase('A provider that reports more than can be true', (openTestDatabase) => {
  it('is paid up to the hold, touches nothing else of the balance, and is told to the operator once', async () => {
    const database = await openTestDatabase();
    const settings = { METRICS_TOKEN: 'a-metrics-token-of-a-test', OPERATOR_EMAIL: 'operator@example.com' };
    const app = await TestApp.start(database, settings);
    const account = await app.createAccount(5);
    for (const [usage, more] of [
      ['9000000,9000000', {}],
      ['10,9000000', {}],
      ['9000000,5', {}],
      ['10,9000000', { stream: true }],
      ['5000000,1 @@usage-first @@no-usage', { stream: true }],
    ] as const) {
      const before = (await app.findWallet(account.accountId)).posted;
      const body = {
        ...{ model: 'gpt-4o-mini', max_tokens: 10, ...more },
        messages: [{ role: 'user', content: `Hello @@usage=${usage} @@usage-on-finish` }],
      };
      const response = await app.call(account.secret, body);
      expect(response.status).toBe(200);
      await response.text();
      await app.waitUntilSettled(account.accountId);
      const [record] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
      expect(record).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
      const charged = before - (await app.findWallet(account.accountId)).posted;
      expect(charged).toBe(Number(record?.charged_millicredits));
      expect(charged).toBeLessThan(1_000);
      expect(Number(record?.absorbed_millicredits)).toBe(0);
    }
    const answer = await fetch(`${app.baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${settings.METRICS_TOKEN}` },
    });
    expect(await answer.text()).toMatch(/^tollgate_implausible_usage_total 5$/m);
    expect(app.logLines.filter((line) => line.includes('"event":"implausible_usage"'))).toHaveLength(5);
    await app.closeKeeping(async () => {
      const notices = await app.query("SELECT * FROM notice WHERE subject_key LIKE 'implausible-usage:%'");
      expect(notices).toMatchObject([{ recipient: 'operator@example.com', title: expect.stringContaining('openai') }]);
    });
  }, 60_000);

  it('cannot have more than the hold paid for an answer that it breaks off', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const account = await app.createAccount(50);
    const content = 'Hello @@usage=5000000,1 @@usage-first @@cut=1';
    const body = { model: 'gpt-4o-mini', max_tokens: 10, stream: true, messages: [{ role: 'user', content }] };
    const charged = await app.chargeOf(account, async () => (await app.call(account.secret, body)).text());
    const [record] = await app.query('SELECT * FROM call_record');
    expect(record).toMatchObject({ outcome: 'interrupted', usage_source: 'estimated' });
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBeLessThanOrEqual(Number(record?.held_millicredits));
    await app.close();
  });
});
