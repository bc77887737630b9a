import { createServer, type Server } from 'node:http';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { Outbox } from './outbox.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookSender } from './webhook-sender.js';

describeOnEachDatabase('The deliveries of a webhook', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let outbox: Outbox;
  let sender: WebhookSender;
  let webhooks: WebhookDeliveries;
  let hook: Server;
  let received: { readonly id: unknown; readonly body: string }[];
  let status: number;
  let url: string | null;
  let accountId: string;
  let endpoint: {
    readonly id: string;
    readonly accountId: string;
    readonly url: string;
    readonly secret: string;
  } | null;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    received = [];
    status = 204;
    hook = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      received.push({ id: request.headers['tollgate-notice-id'], body });
      response.writeHead(status).end();
    });
    await listenLocally(hook);
    url = `${urlOf(hook)}/`;
    endpoint = null;
    const findEndpoint = async (id: string) => (endpoint?.id === id ? endpoint : null);
    sender = new WebhookSender({
      ...{ unitOfWork, clock, logger: silentLogger, isDevelopment: true, findEndpoint },
      findWebhookSecret: async () => (url === null ? null : 'tgwh_a_secret_of_a_test'),
    });
    webhooks = new WebhookDeliveries({ unitOfWork, clock, outbox, findWebhookUrl: async () => url, findEndpoint });
    ({ accountId } = await fixture.createFundedAccount(1_000));
  });

  afterEach(async () => {
    await sender.close();
    await closeServer(hook);
    await fixture.close();
  });

  const put = (subjectKey: string, of = accountId) =>
    unitOfWork.transact((transaction) =>
      outbox.put(transaction, {
        ...{ subjectKey, accountId: of, channel: 'webhook', recipient: url ?? '' },
        ...{ title: 'Your balance is low', body: `{"type":"${subjectKey}"}` },
      }),
    );

  it('are listed with their body and what became of them, the newest first, and no mail among them', async () => {
    await put('low:hook:1');
    await sender.sendDue();
    clock.advanceMs(1_000);
    status = 500;
    await put('low:hook:2');
    await sender.sendDue();
    const mail = { subjectKey: 'low:mail:1', accountId, channel: 'email', recipient: 'a@example.com' } as const;
    await unitOfWork.transact((transaction) => outbox.put(transaction, { ...mail, title: 'Low', body: 'Low' }));
    const [second, first, ...others] = await webhooks.list(accountId, 20);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ state: 'sent', attempts: 1, body: '{"type":"low:hook:1"}', lastFault: null });
    expect(second).toMatchObject({ state: 'waiting', attempts: 1, lastFault: 'The webhook answered 500.' });
    expect(second).toMatchObject({ lastAttemptMs: clock.nowMs(), dueAtMs: clock.nowMs() + 30_000 });
    expect(await webhooks.list(accountId, 1)).toEqual([second]);
  });

  it('are sent once more, under the same id, whole, and to the address as it is now', async () => {
    await put('low:hook:1');
    await sender.sendDue();
    const [sent] = await webhooks.list(accountId, 1);
    url = `${url}new`;
    expect(await webhooks.resend(accountId, sent?.id ?? '')).toMatchObject({ state: 'waiting', recipient: url });
    await sender.sendDue();
    expect(received).toEqual([received[0], received[0]]);
    expect(received[0]).toEqual({ id: sent?.id, body: '{"type":"low:hook:1"}' });
    expect(await webhooks.list(accountId, 1)).toMatchObject([{ state: 'sent', recipient: url, attempts: 1 }]);
  });

  it('that were given up are tried anew from the beginning', async () => {
    status = 503;
    await put('low:hook:1');
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await sender.sendDue();
      clock.advanceMs(24 * 3_600_000);
    }
    const [lost] = await webhooks.list(accountId, 1);
    expect(lost).toMatchObject({ state: 'given_up', attempts: 7, lastFault: 'The webhook answered 503.' });
    status = 200;
    await webhooks.resend(accountId, lost?.id ?? '');
    await sender.sendDue();
    expect(await webhooks.list(accountId, 1)).toMatchObject([{ state: 'sent', attempts: 1, lastFault: null }]);
  });

  it('say in words what a receiver that is away did not do, and no address of a machine', async () => {
    url = 'http://127.0.0.1:1/';
    await put('low:hook:1');
    await sender.sendDue();
    const [{ lastFault } = { lastFault: null }] = await webhooks.list(accountId, 1);
    expect(lastFault).toBe('The webhook cannot be reached (ECONNREFUSED).');
  });

  it('of another account are none, and without an address nothing is sent', async () => {
    const other = (await fixture.createFundedAccount(1_000)).accountId;
    await put('low:hook:1', other);
    const [theirs] = await webhooks.list(other, 1);
    expect(await webhooks.list(accountId, 20)).toEqual([]);
    await expect(webhooks.resend(accountId, theirs?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    url = null;
    await expect(webhooks.resend(other, theirs?.id ?? '')).rejects.toMatchObject({ code: 'conflict' });
    await expect(webhooks.sendTest(other)).rejects.toMatchObject({ code: 'conflict' });
    await sender.sendDue();
    expect(received).toEqual([]);
    url = 'http://127.0.0.1:1/';
    // What was dropped has no body any more.
    await expect(webhooks.resend(other, theirs?.id ?? '')).rejects.toMatchObject({ code: 'conflict' });
    expect(await webhooks.list(other, 1)).toMatchObject([{ state: 'dropped', body: '' }]);
  });

  it('of an endpoint are listed apart, and are sent again to that endpoint alone, as long as it is there', async () => {
    endpoint = { id: createId('webhookEndpoint'), accountId, url: `${url}endpoint`, secret: 'tgwh_another' };
    const { id: endpointId, url: recipient } = endpoint;
    await put('low:hook:1');
    const about = { subjectKey: 'endpoint:1', accountId, channel: 'endpoint', endpointId, recipient } as const;
    await unitOfWork.transact((transaction) => outbox.put(transaction, { ...about, title: 'Low', body: '{"n":1}' }));
    await sender.sendDue();
    expect(received).toHaveLength(2);
    const [sent, ...others] = await webhooks.list(accountId, 20, endpointId);
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ state: 'sent', attempts: 1, endpointId, recipient, body: '{"n":1}' });
    expect(await webhooks.list(accountId, 20)).toHaveLength(2);
    expect(await webhooks.list(accountId, 20, null)).toMatchObject([{ endpointId: null }]);
    await webhooks.resend(accountId, sent?.id ?? '');
    await webhooks.sendTest(accountId, endpointId);
    await sender.sendDue();
    expect(received).toHaveLength(4);
    expect(received[2]).toEqual({ id: sent?.id, body: '{"n":1}' });
    const other = (await fixture.createFundedAccount(1_000)).accountId;
    await expect(webhooks.sendTest(other, endpointId)).rejects.toMatchObject({ code: 'not_found' });
    endpoint = null;
    await expect(webhooks.resend(accountId, sent?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('for a test are ten in an hour, and take none from the alerts’ ten', async () => {
    for (let count = 0; count < 10; count += 1) await webhooks.sendTest(accountId);
    await expect(webhooks.sendTest(accountId)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    for (let count = 0; count < 10; count += 1) expect(await put(`low:hook:${count}`)).toBe(true);
    expect(await put('low:hook:10')).toBe(false);
    await sender.sendDue();
    const at = new Date(clock.nowMs()).toISOString();
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toContainEqual({ type: 'test', accountId, at });
    expect(received).toHaveLength(20);
  });
});
