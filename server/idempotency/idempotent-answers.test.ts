import OpenAI from 'openai';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually, eventuallyFind } from '../test/eventually.js';
import { findJoinedCall } from '../test/joined-call.js';
import { checkStreamedAnswer } from '../test/openai-shape.js';

const ask = (text: string, more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: text }],
  ...more,
});

describeOnEachDatabase('Idempotency-Key', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  const call = (key: string, body: object, secret = account.secret, headers: Record<string, string> = {}) =>
    app.call(secret, body, '/chat/completions', { 'idempotency-key': key, ...headers });
  const posted = async () => (await app.findWallet(account.accountId)).posted;
  const sentUpstream = (text: string) => app.upstream.requests.filter((request) => request.text.includes(text)).length;

  it.each([
    ['plain', {}],
    ['streamed', { stream: true, stream_options: { include_usage: true } }],
  ])('%s: the same request again is answered the same, sent once and billed once', async (form, more) => {
    const body = ask(`Hello ${form}`, more);
    const before = await posted();
    const first = await call(`k-${form}`, body);
    const answer = await first.text();
    const again = await call(`k-${form}`, body);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(answer);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-generation-id')).toBe(first.headers.get('x-generation-id'));
    expect(again.headers.get('x-credits-charged')).toBe('0.000');
    if (form === 'streamed') checkStreamedAnswer(answer);
    expect(before - (await posted())).toBe(14);
    expect(sentUpstream(`Hello ${form}`)).toBe(1);
  });

  it('another provider asked for by its header with the same key: 422', async () => {
    const body = ask('of whom');
    await (await call('k-provider', body, account.secret, { 'x-tollgate-provider': 'openai' })).text();
    const again = await call('k-provider', body, account.secret, { 'x-tollgate-provider': ' openai ' });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    for (const headers of [{ 'x-tollgate-provider': 'demo' }, {}]) {
      expect((await call('k-provider', body, account.secret, headers)).status).toBe(422);
    }
    expect(sentUpstream('of whom')).toBe(1);
  });

  it('another body with the same key: 422', async () => {
    await (await call('k-body', ask('one'))).text();
    const other = await call('k-body', ask('two'));
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
    expect(sentUpstream('"two"')).toBe(0);
  });

  it.each([
    ['plain', {}],
    ['streamed', { stream: true, stream_options: { include_usage: true } }],
  ])(
    '%s: many at once with one key join the first attempt: one upstream call, one charge, one answer',
    async (form, more) => {
      const before = await posted();
      const text = `at once ${form}`;
      const body = ask(`@@delay=30 ${text}`, more);
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(`k-many-${form}`, body)));
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(new Set(texts).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replayed).toHaveLength(19);
      expect(sentUpstream(text)).toBe(1);
      expect(before - (await posted())).toBe(14);
    },
  );

  it('a claim that the database lost with its last commits while its call ran: the same request again is answered, and billed once', async () => {
    const before = await posted();
    const body = ask('@@delay=300 lost claim');
    const first = call('k-lost', body);
    await eventually(() => sentUpstream('lost claim') === 1);
    await app.query(`DELETE FROM idempotent_answer WHERE account_id = '${account.accountId}' AND is_finished = 0`);
    const answer = await (await first).text();
    const again = await call('k-lost', body);
    expect([again.headers.get('idempotency-replayed'), await again.text()]).toEqual(['true', answer]);
    expect((await call('k-lost', ask('another'))).status).toBe(422);
    expect(before - (await posted())).toBe(14);
  });

  it('a request that failed and cost nothing may be sent again with the same key', async () => {
    const body = ask('@@status=500 again');
    expect((await call('k-fail', body)).status).toBe(502);
    expect((await call('k-fail', body)).status).toBe(502);
    expect(sentUpstream('@@status=500 again')).toBe(2);
  });

  it('a stream that broke off after it was billed is not billed again: 409 with the call that was', async () => {
    const body = ask('@@cut=2 broken', { stream: true });
    const first = await call('k-cut', body);
    await first.text();
    const again = await call('k-cut', body);
    expect(again.status).toBe(409);
    const callId = first.headers.get('x-generation-id');
    expect(await again.json()).toMatchObject({ error: { code: 'conflict', metadata: { call_id: callId } } });
    expect(sentUpstream('broken')).toBe(1);
  });

  it('a caller who left before the plain answer gets it with the same key, billed once', async () => {
    const body = ask('@@delay=30 left early');
    const leaving = new AbortController();
    const before = await posted();
    const lost = app.call(account.secret, body, '/chat/completions', { 'idempotency-key': 'k-left' }, leaving.signal);
    lost.catch(() => {});
    await eventually(() => sentUpstream('left early') > 0);
    leaving.abort();
    await expect(lost).rejects.toThrow();
    await eventually(async () => {
      const answer = await call('k-left', body);
      await answer.text();
      if (answer.status !== 200) expect(answer.status).toBe(409);
      return answer.status === 200;
    });
    expect(sentUpstream('left early')).toBe(1);
    expect(before - (await posted())).toBe(14);
  });

  it('the key of another account is another key', async () => {
    const other = await app.createAccount(5);
    await (await call('k-shared', ask('mine'))).text();
    const theirs = await call('k-shared', ask('theirs'), other.secret);
    expect(theirs.status).toBe(200);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
  });

  it.each(['x'.repeat(256), 'caf\u00e9'])('the key %s is none: 400', async (key) => {
    expect((await call(key, ask('Hello'))).status).toBe(400);
  });

  it('keeps an answer until it is surely 24 hours old, by a clock that was watched or by the journal, and no longer', async () => {
    const body = ask('old answer');
    const send = async () => {
      const answer = await call('k-old', body);
      await answer.text();
      return answer.headers.get('idempotency-replayed');
    };
    await send();
    const dayMs = 24 * 60 * 60_000;
    const age = () =>
      app.query(
        `UPDATE idempotent_answer SET created_at_ms = created_at_ms - ${dayMs + 60_000} WHERE answer IS NOT NULL`,
      );
    await age();
    expect(await send()).toBe('true');
    await age();
    for (const verb of ['update', 'delete']) await app.query(`DROP TRIGGER IF EXISTS ledger_transfer_refuses_${verb}`);
    await app.query(`UPDATE ledger_transfer SET at_ms = at_ms - ${dayMs}`);
    expect(await send()).toBeNull();
    expect(sentUpstream('old answer')).toBe(2);
  });
});

describeOnEachDatabase('A client that gave up waiting and asks again by itself', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  const sentUpstream = (text: string) => app.upstream.requests.filter((request) => request.text.includes(text)).length;
  const retry = (body: object, count: string, secret = account.secret) =>
    app.call(secret, body, '/chat/completions', { 'x-stainless-retry-count': count });
  /** Asks, leaves when the provider has the request, and waits until it is billed. */
  const askAndLeave = async (body: object, text: string) => {
    const leaving = new AbortController();
    const lost = app.call(
      account.secret,
      body,
      '/chat/completions',
      { 'x-stainless-retry-count': '0' },
      leaving.signal,
    );
    lost.catch(() => {});
    await eventually(() => sentUpstream(text) > 0);
    leaving.abort();
    await expect(lost).rejects.toThrow();
    await app.waitUntilSettled(account.accountId);
    const isKept = async () =>
      (await app.query('SELECT call_id FROM idempotent_answer WHERE is_finished = true')).length > 0;
    await eventually(isKept);
  };
  beforeEach(() => app.query('DELETE FROM idempotent_answer'));

  it('gets the answer that was made and billed meanwhile, and is billed once', async () => {
    const body = ask('@@delay=30 given up');
    const { posted: before } = await app.findWallet(account.accountId);
    await askAndLeave(body, 'given up');
    const again = await retry(body, '1');
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-credits-charged')).toBe('0.000');
    expect(await again.json()).toMatchObject({ usage: { total_tokens: 14 } });
    expect(sentUpstream('given up')).toBe(1);
    expect(before - (await app.findWallet(account.accountId)).posted).toBe(14);
  });

  it('joins the first attempt while it runs: one upstream call, one charge', async () => {
    const body = ask('joined by hand');
    const answerNow = app.upstream.holdAnswers();
    const { posted: before } = await app.findWallet(account.accountId);
    const leaving = app.callToLeave(account.secret, body, '/chat/completions', { 'x-stainless-retry-count': '0' });
    await eventually(() => sentUpstream('joined by hand') > 0);
    leaving.abort();
    const findNoted = async () => (await app.query('SELECT is_finished FROM idempotent_answer'))[0];
    const noted = await eventuallyFind(findNoted);
    // The first attempt still runs, and can be joined.
    expect(Number(noted.is_finished)).toBe(0);
    const joined = retry(body, '1');
    await findJoinedCall(app, '1');
    answerNow();
    const again = await joined;
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toMatchObject({ usage: { total_tokens: 14 } });
    expect(sentUpstream('joined by hand')).toBe(1);
    expect(before - (await app.findWallet(account.accountId)).posted).toBe(14);
  });

  it('joins a first attempt whose caller still seems to be there: one upstream call, one charge, and both are answered', async () => {
    const body = ask('behind a proxy');
    const answerNow = app.upstream.holdAnswers();
    const { posted: before } = await app.findWallet(account.accountId);
    const first = app.call(account.secret, body);
    await eventually(() => sentUpstream('behind a proxy') > 0);
    const joined = retry(body, '7');
    await findJoinedCall(app, '7');
    answerNow();
    const [again, answered] = await Promise.all([joined, first]);
    expect([again.status, answered.status]).toEqual([200, 200]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(answered.headers.get('idempotency-replayed')).toBeNull();
    expect(await again.text()).toBe(await answered.text());
    expect(sentUpstream('behind a proxy')).toBe(1);
    expect(before - (await app.findWallet(account.accountId)).posted).toBe(14);
  });

  it('as OpenAI’s own client has its answer in the end, though it gives up before each answer: billed once', async () => {
    const client = new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, timeout: 1_000, maxRetries: 8 });
    const { posted: before } = await app.findWallet(account.accountId);
    const answer = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: '@@delay=3500 slower than the limit' }],
    });
    expect(answer.usage?.total_tokens).toBe(14);
    expect(sentUpstream('slower than the limit')).toBe(1);
    expect(before - (await app.findWallet(account.accountId)).posted).toBe(14);
  }, 60_000);

  it('is billed for another call where it does not say that it asks again, or asks by another key', async () => {
    const body = ask('@@delay=300 says nothing');
    const first = app.call(account.secret, body);
    await eventually(() => sentUpstream('says nothing') > 0);
    const other = await app.createAccount(5);
    const others = await Promise.all([app.call(account.secret, body), retry(body, '1', other.secret)]);
    for (const response of [await first, ...others]) {
      expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, null]);
    }
    expect(sentUpstream('says nothing')).toBe(3);
  });

  it('leaves nothing to wait for when the first attempt fails: the retry is a call of its own', async () => {
    const body = ask('@@delay=30 @@status=500 fails twice');
    const leaving = app.callToLeave(account.secret, body);
    await eventually(() => sentUpstream('fails twice') > 0);
    leaving.abort();
    await app.waitUntilSettled(account.accountId);
    expect((await retry(body, '1')).status).toBe(502);
    expect(sentUpstream('fails twice')).toBe(2);
    const isGone = async () => (await app.query('SELECT call_id FROM idempotent_answer')).length === 0;
    await eventually(isGone);
  });

  it.each([
    ['a first request with the same body', 'one', '0', {}],
    ['a retry with another body', 'two', '1', { temperature: 1 }],
    ['a streamed retry', 'three', '1', { stream: true }],
  ])('%s is a call of its own', async (_, text, count, changes) => {
    const body = ask(`@@delay=30 own ${text}`);
    await askAndLeave(body, `own ${text}`);
    const other = await retry({ ...body, ...changes }, count);
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    await other.text();
    expect(sentUpstream(`own ${text}`)).toBe(2);
  });

  it('a retry of another account, or after 15 minutes, is a call of its own', async () => {
    const body = ask('@@delay=30 not shared');
    await askAndLeave(body, 'not shared');
    const other = await app.createAccount(5);
    expect((await retry(body, '1', other.secret)).headers.get('idempotency-replayed')).toBeNull();
    await app.query(`UPDATE idempotent_answer SET created_at_ms = created_at_ms - ${15 * 60_000 + 1_000}`);
    expect((await retry(body, '1')).headers.get('idempotency-replayed')).toBeNull();
    expect(sentUpstream('not shared')).toBe(3);
  });

  it('an answer that its caller has seen is not kept: the same request again is a call of its own', async () => {
    const body = ask('seen');
    await (await app.call(account.secret, body)).text();
    expect((await retry(body, '1')).headers.get('idempotency-replayed')).toBeNull();
    expect(sentUpstream('seen')).toBe(2);
  });
});
