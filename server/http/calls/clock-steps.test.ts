import { systemClock } from '../../kernel/clock.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const hourMs = 3_600_000;

describeOnEachDatabase('A call during which the wall clock is set', (openTestDatabase) => {
  let shiftMs = 0;
  const clock = { ...systemClock, nowMs: () => Date.now() + shiftMs };
  const app = TestApp.forAll(openTestDatabase, { LEFT_CALL_GRACE_SECONDS: '0' }, clock);
  const account = app.accountForAll(5);
  afterEach(() => {
    shiftMs = 0;
  });

  /** Asks, and has the clock set once the first words have come. @returns the receipt. */
  async function callWhileSet(byMs: number, verbs: string, isLeft: boolean) {
    const leaving = new AbortController();
    const body = { model: 'gpt-5-mini', stream: true, messages: [{ role: 'user', content: `Hi ${verbs}` }] };
    const asking = app.call(account.secret, body, '/chat/completions', {}, leaving.signal);
    const reader = (await asking).body?.getReader();
    await reader?.read();
    shiftMs = byMs;
    if (isLeft) leaving.abort();
    else while (!(await reader?.read())?.done);
    await app.waitUntilSettled(account.accountId);
    const [receipt] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
    return receipt;
  }

  it.each([hourMs, -hourMs])('by %d ms took as long as it took', async (byMs) => {
    const receipt = await callWhileSet(byMs, '@@delay=10', false);
    expect(receipt?.outcome).toBe('completed');
    for (const ms of [receipt?.total_ms, receipt?.first_byte_ms]) {
      expect(Number(ms)).toBeGreaterThanOrEqual(0);
      expect(Number(ms)).toBeLessThan(hourMs / 2);
    }
  });

  it.each([hourMs, -hourMs])('by %d ms and that is left costs no reasoning of that time', async (byMs) => {
    // In less time no model writes so much, and what it seems to be is not believed.
    const body = {
      model: 'gpt-5-mini',
      messages: [{ role: 'user', content: 'Hi @@usage=9,400 @@tokens=4 @@delay=300' }],
    };
    const learnt = Array.from({ length: 5 }, async () => (await app.call(account.secret, body)).text());
    await Promise.all(learnt);
    const receipt = await callWhileSet(byMs, '@@words=200 @@delay=20', true);
    expect(receipt).toMatchObject({ outcome: 'abandoned', usage_source: 'estimated' });
    expect(Number(receipt?.completion_tokens)).toBeLessThan(Number(receipt?.total_ms) * 1_000);
    expect(Number(receipt?.total_ms)).toBeLessThan(hourMs / 2);
  });
});
