import { createHmac } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mock } from 'node:test';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { type NewNotice, Outbox } from './outbox.js';
import { WebhookSender, type WebhookSenderParts } from './webhook-sender.js';

const alertSecret = 'tgwh_a_secret_of_a_test';

describeOnEachDatabase('WebhookSender', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let outbox: Outbox;
  let hook: Server;
  let url: string;
  let received: { path: string; body: string; signature: string }[];
  let senders: WebhookSender[];
  let log: string[];
  let answer: (path: string, response: ServerResponse) => void;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    received = [];
    senders = [];
    log = [];
    answer = (_path, response) => response.writeHead(204).end();
    hook = createServer(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const path = request.url ?? '';
      received.push({ path, body, signature: String(request.headers['tollgate-signature']) });
      answer(path, response);
    });
    await listenLocally(hook);
    url = urlOf(hook);
  });
  afterEach(async () => {
    mock.restoreAll();
    const closed = Promise.all(senders.map((sender) => sender.close()));
    await closeServer(hook);
    await closed;
    await fixture.close();
  });

  /** An endpoint's secret and path are made of its id. */
  const open = (change: Partial<WebhookSenderParts> = {}) => {
    const write = (event: string, fields?: object) => void log.push(JSON.stringify({ event, ...fields }));
    const sender = new WebhookSender({
      ...{ unitOfWork, clock, logger: { info: write, warn: write, error: write }, isDevelopment: true },
      findWebhookSecret: async () => alertSecret,
      findEndpoint: async (id) => (id === 'gone' ? null : { url: `${url}/${id}`, secret: `secret of ${id}` }),
      ...change,
    });
    senders.push(sender);
    return sender;
  };
  const put = (endpointId: string, number: number, change: Partial<NewNotice> = {}) =>
    unitOfWork.transact((transaction) =>
      outbox.put(transaction, {
        ...{ subjectKey: `endpoint:${endpointId}:${number}`, accountId: 'acct_1', channel: 'endpoint', endpointId },
        ...{ recipient: url, title: 'Low', body: `${number}`, ...change },
      }),
    );
  const putAlert = (change: Partial<NewNotice> = {}) => {
    const alert = { subjectKey: 'low:1', accountId: 'acct_1', channel: 'webhook', recipient: `${url}/alert` } as const;
    return unitOfWork.transact((transaction) =>
      outbox.put(transaction, { ...alert, title: 'Low', body: '{"type":"balance.low"}', ...change }),
    );
  };
  const findNotice = async () => {
    const [row] = await fixture.source.query('SELECT state, attempts, due_at_ms FROM notice');
    return { state: row.state, attempts: Number(row.attempts), waitsMs: Number(row.due_at_ms) - clock.nowMs() };
  };
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

  it('waits no longer than its time for a message that is never done with, and sends the others of the account', async () => {
    for (const id of ['a', 'b', 'c']) await put(id, 1);
    const findEndpoint: WebhookSenderParts['findEndpoint'] = (id) =>
      id === 'c' ? Promise.resolve({ url: `${url}/c`, secret: 'secret' }) : new Promise(() => {});
    await open({ findEndpoint, sendMsMax: 50 }).sendDue();
    expect(pathsAndBodies()).toEqual(['/c 1']);
    expect(log.filter((line) => line.includes('notices_not_sent'))).toHaveLength(2);
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

  it('drops what is for an endpoint that was deleted, and leaves mails to their own sender', async () => {
    await put('gone', 1);
    await putAlert({ subjectKey: 'low:mail', channel: 'email', recipient: 'ada@example.com' });
    await open().sendDue();
    expect(await fixture.countRows('notice', "state = 'dropped' AND body = ''")).toBe(1);
    expect(await fixture.countRows('notice', "state = 'waiting' AND attempts = 0")).toBe(1);
    expect(received).toEqual([]);
  });

  it('sends others theirs, however much waits for receivers of one account that answer slowly, two of which it waits for', async () => {
    answer = (path, response) => void (path === '/well' && response.writeHead(204).end());
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      for (let number = 0; number < 45; number += 1) await put(id, number, { subjectKey: `calls:${id}:${number}` });
    for (let number = 0; number < 10; number += 1) await putAlert({ subjectKey: `low:${number}` });
    await put('well', 1, { accountId: 'acct_2' });
    void open().sendDue();
    await eventually(() => received.length > 2);
    const paths = received.map(({ path }) => path);
    expect(paths).toHaveLength(3);
    expect(new Set(paths).size).toBe(3);
    expect(paths).toContain('/well');
  });

  it('looks again, and sends what others were written meanwhile, while a receiver has not answered', async () => {
    let isSlowWaitedFor = true;
    answer = (path, response) => {
      if (path === '/well') response.writeHead(204).end();
      else response.on('close', () => (isSlowWaitedFor = false));
    };
    await put('slow', 1);
    open({ intervalMs: 10 }).start();
    await eventually(() => received.length === 1);
    await put('well', 1, { accountId: 'acct_2' });
    await eventually(() => received.length === 2);
    expect(pathsAndBodies()).toEqual(['/slow 1', '/well 1']);
    expect(isSlowWaitedFor).toBe(true);
  });

  it('gives a receiver five seconds, then puts what is left behind what others have due, in its order', async () => {
    answer = (path, response) => {
      if (path === '/slow') clock.advanceMs(2_600);
      response.writeHead(204).end();
    };
    for (let number = 1; number <= 5; number += 1) await put('slow', number);
    await open().sendDue();
    expect(pathsAndBodies()).toEqual(['/slow 1', '/slow 2']);
    const { length } = await fixture.source.query(
      `SELECT id FROM notice WHERE state = 'queued' AND due_at_ms = ${clock.nowMs()}`,
    );
    expect(length).toBe(3);
    await open().sendDue();
    await open().sendDue();
    expect(pathsAndBodies()).toEqual(['/slow 1', '/slow 2', '/slow 3', '/slow 4', '/slow 5']);
  });

  it('holds back what is due behind an alert that was not taken, and loses none', async () => {
    answer = (_path, response) => response.writeHead(500).end();
    for (let number = 0; number < 10; number += 1) await putAlert({ subjectKey: `low:${number}`, body: `${number}` });
    await open().sendDue();
    await open().sendDue();
    expect(received).toHaveLength(1);
    answer = (_path, response) => response.writeHead(204).end();
    clock.advanceMs(30_000);
    await open().sendDue();
    expect(pathsAndBodies().slice(1)).toEqual(Array.from({ length: 10 }, (_, number) => `/alert ${number}`));
  });

  it('has ten alerts of an hour for each endpoint, and tests beside them', async () => {
    for (let number = 0; number < 10; number += 1) expect(await put('a', number)).toBe(true);
    expect(await put('a', 10)).toBe(false);
    expect(await put('b', 10)).toBe(true);
  });

  it('posts a webhook whose signature its receiver can check over the raw body and the time', async () => {
    await putAlert();
    await open().sendDue();
    const [delivery] = received;
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(delivery?.signature ?? '') ?? [];
    expect(Number(seconds)).toBe(clock.nowMs() / 1_000);
    expect(signature).toBe(createHmac('sha256', alertSecret).update(`${seconds}.${delivery?.body}`).digest('hex'));
    expect(await findNotice()).toMatchObject({ state: 'sent' });
    expect(log.join('')).not.toContain(alertSecret);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['a cut connection', (response) => response.destroy()],
  ])('takes %s for a failure, follows nothing, and tries again later', async (_, misbehave) => {
    answer = (_path, response) => misbehave(response);
    await putAlert();
    await open().sendDue();
    expect(received).toHaveLength(1);
    expect(await findNotice()).toMatchObject({ state: 'waiting', attempts: 1, waitsMs: 30_000 });
  });

  it('waits for a webhook that says nothing no longer than five seconds', async () => {
    answer = () => {};
    await putAlert();
    const startedMs = performance.now();
    await open().sendDue();
    expect(performance.now() - startedMs).toBeGreaterThan(4_000);
    expect(await findNotice()).toMatchObject({ state: 'waiting', attempts: 1 });
  }, 20_000);

  it('connects to nothing but public addresses, whatever a name resolves to', async () => {
    const { port } = new URL(url);
    mock.method(Resolver.prototype, 'resolve4', async () => ['127.0.0.1']);
    mock.method(Resolver.prototype, 'resolve6', async () => ['::1']);
    for (const recipient of [
      `https://127.0.0.1:${port}/`,
      `https://inside.example:${port}/`,
      `http://127.0.0.1:${port}/`,
      `https://[::1]:${port}/`,
    ]) {
      await putAlert({ subjectKey: `low:${recipient}`, accountId: `of ${recipient}`, recipient });
    }
    await open({ isDevelopment: false }).sendDue();
    expect(received).toEqual([]);
    expect(await fixture.countRows('notice', "state = 'waiting' AND attempts = 1")).toBe(4);
    expect(log.filter((line) => /public/.test(line))).toHaveLength(4);
  });

  it('drops a webhook that its owner has taken away', async () => {
    await putAlert();
    await open({ findWebhookSecret: async () => null }).sendDue();
    expect(await findNotice()).toMatchObject({ state: 'dropped' });
    expect(received).toEqual([]);
  });
});
