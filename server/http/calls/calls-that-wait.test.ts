import { mock } from 'node:test';
import { systemClock } from '../../kernel/clock.js';
import { AdmissionQueue } from '../../limits/admission-queue.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

describeOnEachDatabase('A process with more calls than it can work at', (openTestDatabase) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await TestApp.start(await openTestDatabase());
  });
  afterEach(async () => {
    mock.restoreAll();
    await app.close();
  });

  /** Each look at the clock is so much later, as where every step takes long. */
  const slowDown = (stepMs: number) => {
    let nowMs = performance.now();
    mock.method(systemClock, 'monotonicMs', () => {
      nowMs += stepMs;
      return nowMs;
    });
  };
  const callTimes = (secret: string, times: number) =>
    Promise.all(Array.from({ length: times }, (_, at) => app.call(secret, at % 2 ? body : { ...body, stream: true })));

  it('answers and bills all of them, each in its turn', async () => {
    const { secret, accountId } = await app.createAccount(5);
    slowDown(60);
    const enter = mock.method(AdmissionQueue.prototype, 'enter');
    const answers = await callTimes(secret, 40);
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    await Promise.all(answers.map((answer) => answer.text()));
    expect(enter.mock.calls.filter(({ result }) => result !== null).length).toBeGreaterThan(20);
    mock.restoreAll();
    await app.waitUntilSettled(accountId);
    expect(await app.findWallet(accountId)).toMatchObject({ pending: 0 });
    expect(await app.query('SELECT call_id FROM call_record')).toHaveLength(40);
  });

  it('refuses who would wait too long, for free and with the time to come again', async () => {
    const { secret, accountId } = await app.createAccount(5);
    // On connections that are there, so that all of them come in few turns.
    for (const answer of await callTimes(secret, 20)) await answer.text();
    await app.waitUntilSettled(accountId);
    slowDown(11_000);
    const answers = await callTimes(secret, 20);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } });
    }
    await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.text()));
    mock.restoreAll();
    await app.waitUntilSettled(accountId);
    expect(await app.query('SELECT call_id FROM call_record')).toHaveLength(40 - refused.length);
  });
});
