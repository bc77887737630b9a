import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { openSqliteDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';

/** Eight megabytes for all: four for one account, six for what is large. */
const settings = { BODY_MEMORY_MB: '8' };

describe('Plain answers with a log probability for every alternative', () => {
  const app = TestApp.forAll(openSqliteDatabase, settings);
  const accounts: TestAccount[] = [];

  beforeAll(async () => {
    for (let index = 0; index < 3; index += 1) accounts.push(await app.createAccount(5));
  });

  const ask = (index: number, fields: object, content = 'Hello', headers: Record<string, string> = {}) =>
    app.call(
      accounts[index]?.secret ?? '',
      { model: 'gpt-4o-mini', messages: [{ role: 'user', content }], ...fields },
      '/chat/completions',
      headers,
    );
  /** Counted with 2.4 MB. */
  const large = { logprobs: true, top_logprobs: 20, max_completion_tokens: 1_400 };
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error?: { code: string } }).error?.code ?? response.status;

  it('are counted before a provider is asked, so that no number of them fills the memory; others go on, and answers that were given are given again', async () => {
    const keyed = { 'idempotency-key': 'asked once' };
    const answered = await (await ask(0, large, 'Hello', keyed)).text();
    const running = [ask(0, large, '@@stall'), ask(1, large, '@@stall')];
    await eventually(() => app.upstream.requests.length === 3);
    expect(await codeOf(await ask(0, large))).toBe('concurrency_limit_exceeded');
    expect(await codeOf(await ask(2, large))).toBe('service_unavailable');
    // What lies ready needs no room.
    expect(await (await ask(0, large, 'Hello', keyed)).text()).toBe(answered);
    expect(app.upstream.requests).toHaveLength(3);
    for (const fields of [{}, { n: 2 }, { ...large, max_completion_tokens: 100 }, { ...large, stream: true }]) {
      expect((await ask(0, fields)).status).toBe(200);
    }
    await app.upstream.close();
    for (const call of running) expect(await codeOf(await call)).not.toBe(200);
  });
});

describe('A body for a process with little memory', () => {
  const app = TestApp.forAll(openSqliteDatabase, settings);

  it('is refused for good beyond the half of what there is, and answered below', async () => {
    const { secret } = await app.createAccount(5);
    const url = (bytes: number) => `data:image/png;base64,${'Ab3/'.repeat(bytes / 4)}`;
    const ask = (bytes: number) => {
      const content = [{ type: 'image_url', image_url: { url: url(bytes) } }];
      return app.call(secret, { model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
    };
    const mebibyte = 1024 * 1024;
    const refused = await ask(4 * mebibyte);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { message: 'The body is larger than 4 MB. Send smaller or fewer images.', code: 'request_too_large' },
    });
    expect((await ask(4 * mebibyte - 1_024)).status).toBe(200);
  });
});

describe('A large answer that somebody waited for who asked again', () => {
  /** Of which one account may fill 16. */
  const app = TestApp.forAll(openSqliteDatabase, { BODY_MEMORY_MB: '32' });

  it.each([
    ['with an Idempotency-Key', { 'idempotency-key': 'asked twice' }, { 'idempotency-key': 'asked twice' }],
    ['by the retry of a client', {}, { 'x-stainless-retry-count': '1' }],
  ])('%s keeps its room until they have read it, long after its own caller', async (how, headers, headersAgain) => {
    const { secret } = await app.createAccount(50);
    /** Counted with 12 MB. */
    const ask = (text: string, sent: object = {}) => {
      const input = [`@@delay=1000 ${text} ${how}`, ...Array.from({ length: 2_000 }, (_, index) => `${index}`)];
      const body = { model: 'text-embedding-3-small', encoding_format: 'base64', dimensions: 1_536, input };
      return app.call(secret, body, '/embeddings', sent as Record<string, string>);
    };
    const asked = app.upstream.requests.length;
    const first = ask('first', headers);
    await eventually(() => app.upstream.requests.length > asked);
    const waited = await ask('first', headersAgain);
    expect([waited.status, waited.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect((await (await first).text()).length).toBeGreaterThan(12_000_000);
    const refused = await ask('second');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'concurrency_limit_exceeded' } });
    await waited.body?.cancel();
    await eventually(async () => {
      const answered = await ask('third');
      await answered.body?.cancel();
      return answered.status === 200;
    });
  });
});
