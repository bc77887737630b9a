import { answerOf, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';

const minuteMs = 60_000;
const ask = (content: string, more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content }],
  ...more,
});

interface Shown {
  readonly id: string;
  readonly isMaintenance: boolean;
  readonly text: string;
}

describeOnEachDatabase('Announcements', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const support = TestOperator.forAll(of, 'support');
  let account: TestAccount;

  beforeAll(async () => {
    account = await of.app.createAccount(5);
  }, 60_000);
  beforeEach(async () => {
    answerOf(await support.prove());
  });
  afterEach(async () => {
    for (const { id } of await listOpen()) await end(id);
  });

  const announce = async (more: object) => {
    const announcement = { isMaintenance: false, text: 'New models are here.', reason: 'A test', ...more };
    return support.change('announce(input: $announcement) { id }', { announcement });
  };
  const make = async (more: object) => answerOf<{ announce: { id: string } }>(await announce(more)).announce.id;
  const end = async (id: string) =>
    answerOf(await support.change('endAnnouncement(id: $id, reason: $reason)', { id, reason: 'Over' }));
  const listOpen = async () =>
    answerOf<{ announcements: Shown[] }>(await support.ask('announcements { id isMaintenance text }')).announcements;
  const listShown = async () =>
    (await of.app.graphql<{ announcements: Shown[] }>('{ announcements { id isMaintenance text } }')).announcements;
  const at = (ms: number) => new Date(of.clock.nowMs() + ms).toISOString();
  const call = (body: object, headers: Record<string, string> = {}) =>
    of.app.call(account.secret, body, '/chat/completions', headers);

  it('are told to everybody, without a sign-in, from their beginning to their end', async () => {
    const id = await make({ endsAt: at(30 * minuteMs) });
    await make({ text: 'Later', startsAt: at(10 * minuteMs) });
    expect(await listShown()).toEqual([{ id, isMaintenance: false, text: 'New models are here.' }]);
    of.clock.advanceMs(11 * minuteMs);
    expect((await listShown()).map(({ text }) => text)).toEqual(['New models are here.', 'Later']);
    of.clock.advanceMs(20 * minuteMs);
    expect((await listShown()).map(({ text }) => text)).toEqual(['Later']);
    expect((await call(ask('Hi'))).status).toBe(200);
  });

  it('of maintenance refuse new calls from their beginning to their end, say until when, and cost nothing', async () => {
    await make({ isMaintenance: true, text: 'A larger disk.', startsAt: at(10 * minuteMs), endsAt: at(12 * minuteMs) });
    expect(await listShown()).toMatchObject([{ isMaintenance: true, text: 'A larger disk.' }]);
    expect((await call(ask('Hi'))).status).toBe(200);
    of.clock.advanceMs(10 * minuteMs + 90_000);
    of.app.upstream.requests.length = 0;
    const charged = await of.app.chargeOf(account, async () => {
      for (const path of ['/chat/completions', '/responses', '/messages', '/embeddings']) {
        const body = { ...ask('Hi'), ...(path === '/messages' ? { max_tokens: 9 } : {}), input: 'Hi' };
        const model = path === '/embeddings' ? 'text-embedding-3-small' : 'gpt-4o-mini';
        const { messages, input, ...rest } = { ...body, model };
        const isChat = path === '/chat/completions' || path === '/messages';
        const refused = await of.app.call(account.secret, { ...rest, ...(isChat ? { messages } : { input }) }, path);
        const told = JSON.stringify(await refused.json());
        expect([path, refused.status]).toEqual([path, 503]);
        expect(told).toContain('New calls are refused for maintenance until ');
        expect(told).toContain('A larger disk.');
        expect(refused.headers.get('retry-after')).toBe('30');
      }
    });
    expect(charged).toBe(0);
    expect(of.app.upstream.requests).toEqual([]);
    of.clock.advanceMs(30_000);
    expect((await call(ask('Hi'))).status).toBe(200);
    expect(await listShown()).toEqual([]);
  });

  it('of maintenance let a stream that runs end, which is charged exactly', async () => {
    const charged = await of.app.chargeOf(account, async () => {
      const streamed = await call(ask('@@tokens=20 @@delay=30', { stream: true }));
      const reader = (streamed.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      const id = await make({ isMaintenance: true, text: 'Now.' });
      expect((await call(ask('Hi'))).status).toBe(503);
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += Buffer.from(part.value).toString();
      expect(text).toContain('data: [DONE]');
      await end(id);
    });
    const [receipt] = await of.app.query(
      `SELECT outcome, charged_millicredits AS charged FROM call_record WHERE account_id = '${account.accountId}' ORDER BY call_id DESC LIMIT 1`,
    );
    expect(receipt).toEqual({ outcome: 'completed', charged: receipt?.charged });
    expect([Number(receipt?.charged) > 0, charged]).toEqual([true, Number(receipt?.charged)]);
  });

  it('of maintenance give out an answer that was billed before', async () => {
    const headers = { 'idempotency-key': 'asked-before' };
    const first = await (await call(ask('Hi'), headers)).text();
    await make({ isMaintenance: true, text: 'Now.' });
    const charged = await of.app.chargeOf(account, async () => {
      const again = await call(ask('Hi'), headers);
      expect([again.status, await again.text()]).toEqual([200, first]);
      // A key that is new is free again once calls are taken.
      expect((await call(ask('Hi'), { 'idempotency-key': 'refused' })).status).toBe(503);
    });
    expect(charged).toBe(0);
    for (const { id } of await listOpen()) await end(id);
    expect((await call(ask('Hi'), { 'idempotency-key': 'refused' })).status).toBe(200);
  });

  it('are known to a server within seconds when somebody else has made or ended them', async () => {
    const nowMs = of.clock.nowMs();
    await of.app.query(
      `INSERT INTO announcement (id, is_maintenance, text, starts_at_ms, ends_at_ms, created_by, created_at_ms) VALUES ('ann_01ARZ3NDEKTSV4RRFFQ69G5FAV', 1, 'By hand', ${nowMs}, NULL, 'somebody', ${nowMs})`,
    );
    await eventually(async () => (await call(ask('Hi'))).status === 503, 20);
    await of.app.query(`UPDATE announcement SET ends_at_ms = ${nowMs} WHERE id = 'ann_01ARZ3NDEKTSV4RRFFQ69G5FAV'`);
    await eventually(async () => (await call(ask('Hi'))).status === 200, 20);
  });

  it('that an operator has ended stay ended when a clock that was days ahead is set right', async () => {
    const id = await make({ isMaintenance: true, text: 'Now.' });
    of.clock.advanceMs(2 * 24 * 60 * minuteMs);
    const meanwhile = await TestOperator.join(of, 'support', 'meanwhile@tollgate.test');
    answerOf(await meanwhile.prove());
    answerOf(await meanwhile.change('endAnnouncement(id: $id, reason: $reason)', { id, reason: 'Over' }));
    of.clock.advanceMs(-2 * 24 * 60 * minuteMs);
    expect(await listShown()).toEqual([]);
    expect(await listOpen()).toEqual([]);
    expect((await call(ask('Hi'))).status).toBe(200);
  });

  it('that begin at once have begun also when a clock that was days ahead is set right', async () => {
    const daysMs = 2 * 24 * 60 * minuteMs;
    of.clock.advanceMs(daysMs);
    const meanwhile = await TestOperator.join(of, 'support', 'ahead@tollgate.test');
    answerOf(await meanwhile.change('prove(code: $code)', { code: meanwhile.nextCode() }));
    const announcement = { isMaintenance: true, text: 'Now.', reason: 'A larger disk' };
    const { id } = answerOf<{ announce: { id: string } }>(
      await meanwhile.change('announce(input: $announcement) { id }', { announcement }),
    ).announce;
    of.clock.advanceMs(-daysMs);
    expect(await listShown()).toEqual([{ id, isMaintenance: true, text: 'Now.' }]);
    await eventually(async () => (await call(ask('Hi'))).status === 503, 20);
    await end(id);
    expect((await call(ask('Hi'))).status).toBe(200);
  });

  it('need a text of one line and times that make sense, and are 20 at most', async () => {
    const faults = [
      [{ text: 'ab' }, 'text'],
      [{ text: 'a\nb' }, 'text'],
      [{ text: 'x'.repeat(501) }, 'text'],
      [{ startsAt: at(400 * 24 * 60 * minuteMs) }, 'startsAt'],
      [{ endsAt: at(-1) }, 'endsAt'],
      [{ startsAt: at(minuteMs), endsAt: at(minuteMs) }, 'endsAt'],
      [{ reason: ' ' }, 'reason'],
    ] as const;
    for (const [more, field] of faults) {
      expect((await announce(more)).errors?.[0]?.extensions).toMatchObject({ reason: 'invalid_value', field });
    }
    const made = [];
    for (let count = 0; count < 20; count += 1) made.push(await make({ text: `News ${count}` }));
    expect(reasonOf(await announce({}))).toBe('conflict');
    expect(await listOpen()).toHaveLength(20);
    await end(String(made[0]));
    const again = { id: String(made[0]), reason: 'Twice' };
    expect(reasonOf(await support.change('endAnnouncement(id: $id, reason: $reason)', again))).toBe('not_found');
  });
});
