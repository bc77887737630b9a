import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId, leastIdAt } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { NoticeEntity } from '../notices/notice.entity.js';
import { Outbox } from '../notices/outbox.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { CallNews, eventsPerLookMax, messagesKeptMax, messagesWaitingMax, newestCallsMax } from './call-news.js';
import { type WebhookEndpoint, WebhookEndpoints } from './webhook-endpoints.js';
import type { WebhookEvent } from './webhook-events.js';

interface Message {
  readonly type: string;
  readonly hasGap: boolean;
  readonly events: readonly { readonly type: string; readonly id: string; readonly [name: string]: unknown }[];
}

const allCalls: readonly WebhookEvent[] = ['call.completed', 'call.failed', 'call.refused'];

describeOnEachDatabase('CallNews', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let endpoints: WebhookEndpoints;
  let account: { accountId: string; keyId: string };

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock(Date.UTC(2026, 4, 1, 12));
    unitOfWork = fixture.unitOfWork;
    endpoints = new WebhookEndpoints({ unitOfWork, clock, isProduction: false, onChange: () => {} });
    account = await fixture.createFundedAccount(0);
  });
  // The calls were never booked, so the books would not add up.
  afterEach(() => fixture.closeUnproven());

  const open = () =>
    new CallNews({
      ...{ unitOfWork, clock, logger: silentLogger, findEndpoint: (id: string) => endpoints.find(id) },
      outbox: new Outbox(unitOfWork, clock, null, silentLogger),
    });
  const create = (events: readonly WebhookEvent[]) =>
    endpoints.create(account.accountId, { name: 'Pager', url: 'http://localhost/', events, isOn: true });
  /** Calls that began within the next second; the clock stands behind them then. @param agoMs … or so long before. */
  const call = async (count: number, agoMs = 0) => {
    if (agoMs === 0) clock.advanceMs(1_000);
    const fromMs = clock.nowMs() - agoMs - 999;
    await insertBulkCalls(fixture.source, { ...account, count, fromMs, toMs: fromMs + 900, hasJournal: false });
    await fixture.source.query('DELETE FROM usage_hour');
  };
  const look = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      clock.advanceMs(10_000);
      await open().look();
    }
  };
  /** What waits or was sent to an endpoint, oldest first. */
  const listMessages = async ({ id }: WebhookEndpoint): Promise<Message[]> => {
    const rows = await unitOfWork.reader.find(NoticeEntity, {
      where: { endpointId: id },
      order: { createdAtMs: 'ASC', id: 'ASC' },
    });
    return rows.map(({ body }) => JSON.parse(body) as Message);
  };
  const listTold = async (endpoint: WebhookEndpoint) =>
    (await listMessages(endpoint)).flatMap(({ events }) => events.map(({ id }) => id));
  const listCalls = async (where = '1 = 1') => {
    const rows = await fixture.source.query(`SELECT call_id FROM call_record WHERE ${where} ORDER BY call_id`);
    return rows.map(({ call_id }: { call_id: string }) => call_id) as string[];
  };
  const takeAll = () => fixture.source.query("UPDATE notice SET state = 'sent'");

  it('tells each call once, in the order in which they began, whichever processes look, and none from before', async () => {
    await call(3);
    const before = await listCalls();
    const endpoint = await create(allCalls);
    await call(70);
    await look();
    await call(50);
    clock.advanceMs(10_000);
    await Promise.all([open().look(), open().look(), open().look()]);
    await look(2);
    const calls = (await listCalls()).filter((id) => !before.includes(id));
    expect(calls).toHaveLength(120);
    expect(await listTold(endpoint)).toEqual(calls);
    expect((await listMessages(endpoint)).map(({ events }) => events.length)).toEqual([70, 50]);
  });

  it('tells of a call that was booked hours after it began, once', async () => {
    const endpoint = await create(allCalls);
    clock.advanceMs(5 * 3_600_000);
    await call(5);
    await look();
    await call(1, 3 * 3_600_000);
    await look(3);
    expect((await listTold(endpoint)).toSorted()).toEqual(await listCalls());
  });

  it('tells an endpoint of nothing but what it wants, with what it cost and without a prompt', async () => {
    const [failures, everything] = [await create(['call.failed', 'balance.low']), await create(allCalls)];
    await call(60);
    await fixture.source.query("UPDATE call_record SET outcome = 'abandoned' WHERE call_id = ?", [
      (await listCalls("outcome = 'completed'"))[0],
    ]);
    const id = createId('call').replace(/^call_.{10}/, leastIdAt('call', clock.nowMs()).slice(0, 15));
    const refusal = { id, status: 402, error_code: 'insufficient_quota', wire: 'chat', times: 3 };
    await fixture.source.query(
      `INSERT INTO refusal (id, account_id, key_id, status, error_code, model, param, wire, times, last_at_ms) VALUES ('${id}', '${account.accountId}', '${account.keyId}', ${refusal.status}, '${refusal.error_code}', 'gpt', NULL, 'chat', 3, ${clock.nowMs()})`,
    );
    await look(2);
    expect(await listTold(failures)).toEqual(await listCalls("outcome = 'failed'"));
    const [message] = await listMessages(everything);
    const events = (await listMessages(everything)).flatMap((one) => one.events);
    expect(events).toHaveLength(61);
    expect(message).toMatchObject({ type: 'calls', accountId: account.accountId, hasGap: false });
    const completed = events.find(({ outcome }) => outcome === 'completed');
    const [row] = await fixture.source.query('SELECT * FROM call_record WHERE call_id = ?', [completed?.id]);
    expect(completed).toMatchObject({
      ...{ type: 'call.completed', apiKeyId: account.keyId, model: row.model, promptTokens: Number(row.prompt_tokens) },
      chargedCredits: Number(row.charged_millicredits) / 1_000,
    });
    expect(events.find(({ outcome }) => outcome === 'abandoned')).toMatchObject({ type: 'call.completed' });
    const refused = { type: 'call.refused', id, status: 402, errorCode: 'insufficient_quota', times: 3, model: 'gpt' };
    expect(events.at(-1)).toMatchObject(refused);
  });

  it('tells a crowd in lists of a hundred, five hundred after each look, and all of it in the end', async () => {
    const endpoint = await create(allCalls);
    await call(1_150);
    await look();
    expect((await listMessages(endpoint)).map(({ events }) => events.length)).toEqual([100, 100, 100, 100, 100]);
    await takeAll();
    await look(2);
    expect(await listTold(endpoint)).toEqual(await listCalls());
    expect((await listMessages(endpoint)).some(({ hasGap }) => hasGap)).toBe(false);
    expect(eventsPerLookMax).toBe(500);
  });

  it('lets calls wait in the receipts while ten messages are not taken, and goes on when they are', async () => {
    const endpoint = await create(allCalls);
    await call(1_200);
    await look(8);
    expect(await listMessages(endpoint)).toHaveLength(messagesWaitingMax);
    await takeAll();
    await look(1);
    expect(await listTold(endpoint)).toEqual(await listCalls());
  });

  it('says that there is a gap where more calls came than it looks at', async () => {
    const endpoint = await create(allCalls);
    await call(10);
    await look();
    await call(newestCallsMax + 300);
    await look();
    const [first, second, third] = await listMessages(endpoint);
    expect([first?.hasGap, second?.hasGap, third?.hasGap]).toEqual([false, true, false]);
    const missed = (await listCalls()).slice(10, 310);
    expect(await listTold(endpoint)).not.toEqual(expect.arrayContaining(missed.slice(0, 1)));
    expect((await listTold(endpoint))[10]).toBe((await listCalls())[310]);
  });

  it('keeps the last hundred messages of each endpoint, and those that wait', async () => {
    const endpoint = await create(allCalls);
    for (let round = 0; round < messagesKeptMax + 5; round += 1) {
      await call(1);
      await look();
      await takeAll();
    }
    await call(1);
    await look();
    expect(await listMessages(endpoint)).toHaveLength(messagesKeptMax + 1);
    expect((await listTold(endpoint)).at(-1)).toBe((await listCalls()).at(-1));
  });

  it('tells nothing while an endpoint is off, and goes on with what begins once it is on again', async () => {
    const endpoint = await create(allCalls);
    const choice = { name: 'Pager', url: endpoint.url, events: allCalls };
    await endpoints.update(account.accountId, endpoint.id, { ...choice, isOn: false });
    await call(3);
    await look(2);
    await endpoints.update(account.accountId, endpoint.id, { ...choice, isOn: true });
    await call(2);
    await look(2);
    expect(await listTold(endpoint)).toEqual((await listCalls()).slice(3));
    await endpoints.remove(account.accountId, endpoint.id);
    await call(2);
    await look(2);
    expect(await fixture.countRows('notice')).toBe(0);
    expect(await fixture.countRows('webhook_call_look')).toBe(0);
  });
});
