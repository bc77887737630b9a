import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { findJoinedCall } from '../test/joined-call.js';

const question = (text: string) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: `@@big=1200000 ${text}` }],
});
const texts = (text: string) => ({
  ...{ model: 'text-embedding-3-small', encoding_format: 'base64', dimensions: 1_536 },
  input: [text, ...Array.from({ length: 99 }, (_, index) => `${text} ${index}`)],
});

describeOnEachDatabase('An answer that is too long to be kept', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(100);

  const sentUpstream = (text: string) => app.upstream.requests.filter((request) => request.text.includes(text)).length;
  const countReceipts = async () => {
    const [row] = await app.query('SELECT COUNT(*) AS n FROM call_record WHERE charged_millicredits > 0');
    return Number(row?.n);
  };

  it.each([
    ['text', '/chat/completions', question, '1'],
    ['vectors', '/embeddings', texts, '3'],
  ])(
    'is had by a retry that waits for it, and told as billed to a later one: one upstream call, one charge, %s',
    async (text, path, ask, count) => {
      const body = ask(`long ${text}`);
      const retry = (count: string) => app.call(account.secret, body, path, { 'x-stainless-retry-count': count });
      const before = await countReceipts();
      const answerNow = app.upstream.holdAnswers();
      const leaving = app.callToLeave(account.secret, body, path);
      await eventually(() => sentUpstream(`long ${text}`) > 0);
      leaving.abort();
      const joining = retry(count);
      await findJoinedCall(app, count);
      answerNow();
      const joined = await joining;
      expect([joined.status, joined.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      const answer = await joined.text();
      expect(answer.length).toBeGreaterThan(700_000);
      expect(JSON.parse(answer)).toHaveProperty('usage');
      const later = await retry('9');
      expect([later.status, later.headers.get('x-should-retry')]).toEqual([409, 'false']);
      const callId = joined.headers.get('x-generation-id');
      const { error } = (await later.json()) as { error: { message: string } };
      expect(error).toMatchObject({ code: 'conflict', metadata: { call_id: callId } });
      expect(error.message).toContain('x-stainless-retry-count');
      expect(sentUpstream(`long ${text}`)).toBe(1);
      expect((await countReceipts()) - before).toBe(1);
    },
  );
});
