import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { EndpointSender } from './endpoint-sender.js';
import { NoticeSender } from './notice-sender.js';
import { Outbox } from './outbox.js';

describeOnEachDatabase('EndpointSender', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let outbox: Outbox;
  let hook: Server;
  let url: string;
  let received: { path: string; body: string; signature: string }[];
  let answer: (path: string, response: ServerResponse) => void;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    unitOfWork = new UnitOfWork(fixture.source);
    outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    received = [];
    answer = (_path, response) => response.writeHead(204).end();
    hook = createServer(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const path = request.url ?? '';
      received.push({ path, body, signature: String(request.headers['tollgate-signature']) });
      answer(path, response);
    });
    hook.listen(0, '127.0.0.1');
    await once(hook, 'listening');
    url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    hook.closeAllConnections();
    hook.close();
    await fixture.close();
  });

  /** An endpoint's secret and path are made of its id. */
  const open = () =>
    new EndpointSender({
      ...{ unitOfWork, clock, logger: silentLogger, isDevelopment: true },
      findEndpoint: async (id) => (id === 'gone' ? null : { url: `${url}/${id}`, secret: `secret of ${id}` }),
    });
  const put = (endpointId: string, number: number) =>
    unitOfWork.transact((transaction) =>
      outbox.put(transaction, {
        ...{ subjectKey: `endpoint:${endpointId}:${number}`, accountId: 'acct_1', channel: 'endpoint', endpointId },
        ...{ recipient: url, title: 'Low', body: `${number}` },
      }),
    );
  const pathsAndBodies = () => received.map(({ path, body }) => `${path} ${body}`);

  it('signs the messages of each endpoint by its own secret, and sends each once, however many look', async () => {
    for (const id of ['a', 'b', 'c']) for (const number of [1, 2]) await put(id, number);
    await Promise.all([open().sendDue(), open().sendDue(), open().sendDue()]);
    await open().sendDue();
    expect(pathsAndBodies().toSorted()).toEqual(['/a 1', '/a 2', '/b 1', '/b 2', '/c 1', '/c 2']);
    for (const { path, body, signature } of received) {
      const seconds = Math.floor(clock.nowMs() / 1_000);
      const hmac = createHmac('sha256', `secret of ${path.slice(1)}`)
        .update(`${seconds}.${body}`)
        .digest('hex');
      expect(signature).toBe(`t=${seconds},v1=${hmac}`);
    }
  });

  it('tries a message that was not taken again, before those behind it, and holds up no other endpoint', async () => {
    answer = (path, response) => response.writeHead(path === '/dead' ? 500 : 204).end();
    for (const number of [1, 2, 3]) {
      await put('dead', number);
      await put('well', number);
    }
    await open().sendDue();
    await open().sendDue();
    expect(pathsAndBodies().toSorted()).toEqual(['/dead 1', '/well 1', '/well 2', '/well 3']);
    answer = (_path, response) => response.writeHead(204).end();
    clock.advanceMs(30_000);
    received.length = 0;
    await open().sendDue();
    expect(pathsAndBodies()).toEqual(['/dead 1', '/dead 2', '/dead 3']);
    expect(await fixture.countRows('notice', "state = 'sent'")).toBe(6);
  });

  it('gives a message up after a day, and goes on with the next', async () => {
    answer = (_path, response) => response.writeHead(410).end();
    await put('dead', 1);
    await put('dead', 2);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await open().sendDue();
      clock.advanceMs(12 * 3_600_000);
    }
    expect(await fixture.countRows('notice', "state = 'given_up' AND attempts = 7")).toBe(2);
  });

  it('drops what is for an endpoint that was deleted, and leaves mails and other webhooks to their own sender', async () => {
    await put('gone', 1);
    const alert = { subjectKey: 'low:1', accountId: 'acct_1', channel: 'webhook', recipient: url } as const;
    await unitOfWork.transact((transaction) => outbox.put(transaction, { ...alert, title: 'Low', body: '{}' }));
    await open().sendDue();
    expect(await fixture.countRows('notice', "state = 'dropped' AND body = ''")).toBe(1);
    expect(await fixture.countRows('notice', "state = 'waiting'")).toBe(1);
    await put('a', 1);
    const others = new NoticeSender({
      ...{ unitOfWork, clock, logger: silentLogger, mailer: null, mailbox: null, isDevelopment: true },
      findWebhookSecret: async () => 'tgwh_of_the_alert',
      findEmail: async () => null,
      createLink: async () => null,
    });
    await others.sendDue();
    expect(pathsAndBodies()).toEqual(['/ {}']);
  });

  it('has ten alerts of an hour for each endpoint, and tests beside them', async () => {
    for (let number = 0; number < 10; number += 1) expect(await put('a', number)).toBe(true);
    expect(await put('a', 10)).toBe(false);
    expect(await put('b', 10)).toBe(true);
  });
});
