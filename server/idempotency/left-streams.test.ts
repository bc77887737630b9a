import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

describeOnEachDatabase('A stream with an Idempotency-Key whose caller has lost the connection', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { LEFT_CALL_GRACE_SECONDS: '1' });
  const account = app.accountForAll(5);

  const ask = (text: string) => ({
    ...{ model: 'gpt-4o-mini', stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'user', content: text }],
  });
  const sentUpstream = (text: string) => app.upstream.requests.filter((request) => request.text.includes(text));
  const listReceipts = () =>
    app.query(
      `SELECT call_id, outcome, charged_millicredits FROM call_record WHERE account_id = '${account.accountId}'`,
    );

  /** Asks, and loses the connection once the answer has begun. @returns the call's id. */
  async function askAndLose(text: string, key: string): Promise<string> {
    const losing = new AbortController();
    const response = await app.call(
      account.secret,
      ask(text),
      '/chat/completions',
      { 'idempotency-key': key },
      losing.signal,
    );
    await response.body?.getReader().read();
    losing.abort();
    return response.headers.get('x-generation-id') ?? '';
  }
  const askAgain = (text: string, key: string, signal?: AbortSignal) =>
    app.call(account.secret, ask(text), '/chat/completions', { 'idempotency-key': key }, signal);

  beforeEach(() => app.query('DELETE FROM idempotent_answer'));

  it('is read to its end while they wait who ask again, long beyond the grace: one upstream call, one charge, the whole answer', async () => {
    const text = '@@words=200 @@delay=20 lost once';
    const before = (await app.findWallet(account.accountId)).posted;
    const callId = await askAndLose(text, 'k-lost');
    const again = await askAgain(text, 'k-lost');
    const answer = await again.text();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.headers.get('x-generation-id')).toBe(callId);
    expect(answer.match(/word/g)?.length).toBeGreaterThanOrEqual(190);
    expect(answer.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(sentUpstream('lost once')).toHaveLength(1);
    expect(before - (await app.findWallet(account.accountId)).posted).toBe(11 + 200);
    const [receipt] = (await listReceipts()).filter(({ call_id }) => call_id === callId);
    expect(receipt).toMatchObject({ outcome: 'completed' });
  });

  it('is broken off once nobody waits any more, and told as billed to who comes later: one charge, of what was made', async () => {
    const text = '@@words=2000 @@delay=20 lost twice';
    const callId = await askAndLose(text, 'k-twice');
    const leaving = new AbortController();
    const second = askAgain(text, 'k-twice', leaving.signal);
    second.catch(() => {});
    leaving.abort();
    await eventually(async () => (await listReceipts()).some(({ call_id }) => call_id === callId));
    const later = await askAgain(text, 'k-twice');
    expect(later.status).toBe(409);
    expect(await later.json()).toMatchObject({ error: { code: 'conflict', metadata: { call_id: callId } } });
    expect(sentUpstream('lost twice')).toHaveLength(1);
    const [receipt] = (await listReceipts()).filter(({ call_id }) => call_id === callId);
    expect(receipt).toMatchObject({ outcome: 'abandoned' });
    expect(Number(receipt?.charged_millicredits)).toBeLessThan(11 + 2_000);
  });

  it('is had whole by who waits for it, however long it is: one upstream call, one charge; a later one is told that it was billed', async () => {
    const text = '@@words=8000 @@usage-after=900 lost and long';
    const callId = await askAndLose(text, 'k-long');
    const before = (await app.findWallet(account.accountId)).posted;
    const waited = await askAgain(text, 'k-long');
    const answer = await waited.text();
    expect([waited.status, waited.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(waited.headers.get('x-generation-id')).toBe(callId);
    expect(answer.length).toBeGreaterThan(1_000_000);
    expect(answer.endsWith('data: [DONE]\n\n')).toBe(true);
    const later = await askAgain(text, 'k-long');
    expect(later.status).toBe(409);
    expect(await later.json()).toMatchObject({ error: { code: 'conflict', metadata: { call_id: callId } } });
    expect(sentUpstream('lost and long')).toHaveLength(1);
    const charged = before - (await app.findWallet(account.accountId)).posted;
    const receipts = (await listReceipts()).filter(({ call_id }) => call_id === callId);
    expect(receipts.map(({ charged_millicredits }) => Number(charged_millicredits))).toEqual([charged]);
  });
});
