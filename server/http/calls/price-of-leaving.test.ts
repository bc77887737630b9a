import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

describeOnEachDatabase('What leaving costs where reasoning is not shown', (openTestDatabase) => {
  const app = TestApp.forEach(openTestDatabase);

  // In less time than a second no model writes so much, and what it seems to be is not believed.
  const ask = (verbs: string, more: object = {}) => ({
    ...{ model: 'gpt-5-mini', max_completion_tokens: 600, ...more },
    messages: [{ role: 'user', content: `Hi @@tokens=4 @@delay=300 ${verbs}` }],
  });

  async function finishCalls({ secret }: TestAccount, count: number, verbs: string): Promise<void> {
    const calls = Array.from({ length: count }, async () => (await app.call(secret, ask(verbs))).text());
    await Promise.all(calls);
  }

  /** Leaves a stream after its first piece. @returns its receipt. */
  async function leave(account: TestAccount) {
    const leaving = new AbortController();
    const response = await app.call(
      account.secret,
      ask('@@usage=9,50', { stream: true }),
      '/chat/completions',
      {},
      leaving.signal,
    );
    await response.body?.getReader().read();
    leaving.abort();
    await app.waitUntilSettled(account.accountId);
    const id = response.headers.get('x-generation-id');
    const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`);
    return receipt;
  }

  const readToItsEnd = { outcome: 'completed', usage_source: 'reported' };
  const estimated = { outcome: 'abandoned', usage_source: 'estimated' };

  it('is learnt from no count that cannot be true', async () => {
    const account = await app.createAccount(5);
    await finishCalls(account, 5, '@@usage=9,3000');
    expect(app.logLines.filter((line) => line.includes('"implausible_usage"'))).toHaveLength(5);
    expect(await leave(account)).toMatchObject(readToItsEnd);
    await finishCalls(account, 5, '@@usage=9,400');
    expect(await leave(account)).toMatchObject(estimated);
  });

  it('is learnt from no number of calls of one other account, which itself pays by its own', async () => {
    const [account, other] = [await app.createAccount(5), await app.createAccount(5)];
    await finishCalls(other, 20, '@@usage=9,400');
    expect(await leave(account)).toMatchObject(readToItsEnd);
    expect(await leave(other)).toMatchObject(estimated);
  });
});
