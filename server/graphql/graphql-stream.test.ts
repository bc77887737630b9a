import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import express from 'express';
import { buildSchema, type GraphQLField } from 'graphql';
import { LiveBalances } from '../accounts/live-balances.js';
import { silentLogger } from '../kernel/logger.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { postGraphql } from '../test/post-graphql.js';
import { changeKey, revokeKey } from '../test/test-keys.js';
import { createGraphqlStream } from './graphql-stream.js';
import type { SubscriptionParts } from './subscription.js';

const query = 'subscription { balance { available held } }';

/** A subscription as a client has it. */
class Subscription {
  private constructor(
    readonly response: Response,
    private readonly lines: AsyncIterator<string>,
    private readonly controller: AbortController,
  ) {}

  static async open(app: TestApp, sessionToken: string | null, body: object = { query }): Promise<Subscription> {
    const controller = new AbortController();
    const response = await fetch(`${app.baseUrl}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(sessionToken === null ? {} : { authorization: `Bearer ${sessionToken}` }),
      },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    const input = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]).on('error', () => {});
    return new Subscription(response, createInterface({ input })[Symbol.asyncIterator](), controller);
  }

  /** The next event's name and data. */
  async next(): Promise<[event: string, data: unknown]> {
    let event = '';
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) return ['closed', null];
      if (value.startsWith('event: ')) event = value.slice(7);
      // An event without data has no line for it, or an empty one.
      if (value === '' && event === 'complete') return [event, null];
      if (value.startsWith('data: ') && event === 'next') return [event, JSON.parse(value.slice(6))];
    }
  }

  async nextBalance(): Promise<unknown> {
    const [, data] = await this.next();
    return (data as { data: { balance: unknown } }).data.balance;
  }

  leave(): void {
    this.controller.abort();
  }
}

describeOnEachDatabase('the balance as it changes', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  let isClosed: boolean;
  const opened: Subscription[] = [];
  const open = async (token: string | null = account.sessionToken, body?: object) => {
    const subscription = await Subscription.open(app, token, body);
    opened.push(subscription);
    return subscription;
  };

  beforeEach(async () => {
    app = await TestApp.start(await openTestDatabase());
    account = await app.createAccount(5);
    isClosed = false;
  });
  afterEach(async () => {
    for (const subscription of opened.splice(0)) subscription.leave();
    if (!isClosed) await app.close();
  });

  it('is told at the start, after a call, and after what another instance did', async () => {
    const subscription = await open();
    expect(subscription.response.headers.get('content-type')).toContain('text/event-stream');
    expect(await subscription.nextBalance()).toEqual({ available: 5_000, held: 0 });
    const messages = [{ role: 'user', content: 'Hello' }];
    await (await app.call(account.secret, { model: 'demo-small', messages })).text();
    let balance = (await subscription.nextBalance()) as { available: number; held: number };
    // The reservation may have been told, too, before the call was settled.
    while (balance.held > 0) balance = (await subscription.nextBalance()) as typeof balance;
    expect(balance.available).toBeLessThan(5_000);
    // Written past this process's ledger, as another instance would.
    await app.setBalance(account.accountId, 123_456);
    expect(await subscription.nextBalance()).toEqual({ available: 123.456, held: 0 });
  });

  it.each([[true], [false]])(
    'is refused at the address of other operations, with the one to take, signed in: %s',
    async (isSignedIn) => {
      const linesBefore = app.logLines.length;
      const response = await postGraphql(
        app.baseUrl,
        { query },
        isSignedIn ? { authorization: `Bearer ${account.sessionToken}` } : {},
      );
      const { errors } = (await response.json()) as { errors: unknown[] };
      expect(errors).toMatchObject([
        { message: expect.stringContaining('POST /graphql/stream'), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect(app.logLines.slice(linesBefore).filter((line) => line.includes('graphql_failed'))).toEqual([]);
    },
  );

  it('ends when its session ends', async () => {
    const subscription = await open();
    await subscription.nextBalance();
    await app.graphql('mutation { signOutEverywhere }', {}, account.sessionToken);
    expect(await subscription.next()).toEqual(['complete', null]);
    expect((await open()).response.status).toBe(401);
  });

  it('is told to a key that may read the usage, until it may no longer', async () => {
    const subscription = await open(account.secret);
    expect(await subscription.nextBalance()).toEqual({ available: 5_000, held: 0 });
    await changeKey(app, account, { scopes: ['CHAT'] });
    await app.setBalance(account.accountId, 1_000);
    expect(await subscription.next()).toEqual(['complete', null]);
    const refusal = { extensions: { code: 'FORBIDDEN', reason: 'missing_scope' } };
    expect(await (await open(account.secret)).next()).toMatchObject(['next', { errors: [refusal] }]);
    await revokeKey(app, account);
    expect((await open(account.secret)).response.status).toBe(401);
  });

  it('ends well when the server stops, before the time that calls are given is over', async () => {
    const subscription = await open();
    await subscription.nextBalance();
    await app.close();
    isClosed = true;
    expect(await subscription.next()).toEqual(['complete', null]);
    expect(await subscription.next()).toEqual(['closed', null]);
  });

  it('is watched five times by an account, and again once one has left', async () => {
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => open()));
    await Promise.all(five.map((subscription) => subscription.nextBalance()));
    const refusal = {
      errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'RATE_LIMITED' }) })],
    };
    expect(await (await open()).next()).toEqual(['next', expect.objectContaining(refusal)]);
    five[0]?.leave();
    for (let isLetIn = false; !isLetIn; ) {
      const [, data] = await (await open()).next();
      isLetIn = !(data as { errors?: unknown }).errors;
    }
  });

  it.each([
    ['nobody', null, { query }, 401, 'UNAUTHENTICATED'],
    ['a query', undefined, { query: '{ viewer { id } }' }, 400, 'BAD_USER_INPUT'],
    ['a mutation', undefined, { query: 'mutation { signOut }' }, 400, 'BAD_USER_INPUT'],
    ['what is no GraphQL', undefined, { query: 'subscription {' }, 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', undefined, { query: 'subscription { balances }' }, 400, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'too many words',
      undefined,
      { query: `subscription { ${'balance '.repeat(1_001)} }` },
      400,
      'GRAPHQL_PARSE_FAILED',
    ],
  ])('is refused to %s', async (_, token, body, status, code) => {
    const sender = token === undefined ? { authorization: `Bearer ${account.sessionToken}` } : {};
    const response = await fetch(`${app.baseUrl}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sender },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code } }] });
  });
});

describe('The reader of a subscription who is behind', () => {
  const eventsMax = 5_000;
  let made: number;
  let server: Server;
  let reader: Socket;

  /** Tells something new each time that it is asked, as a balance that never rests. */
  async function* tellWithoutRest() {
    for (made = 1; made <= eventsMax; made += 1) yield { count: made };
  }

  beforeEach(async () => {
    made = 0;
    const schema = buildSchema('type Query { count: Int } type Subscription { count: Int }');
    const field = schema.getSubscriptionType()?.getFields().count as GraphQLField<unknown, unknown>;
    field.subscribe = tellWithoutRest;
    const viewers = { find: async () => ({ accountId: 'a' }), isByCookie: () => false };
    const gate = { countSubscription: async () => {} };
    const parts = { schema, viewers, gate, logger: silentLogger } as unknown as SubscriptionParts;
    // So that one byte that waits is a reader who is behind.
    server = createServer({ highWaterMark: 1 }, express().use(express.json(), createGraphqlStream(parts)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    reader.destroy();
    server.closeAllConnections();
    server.close();
  });

  it('is told nothing further before what waits is taken, and then all the rest', async () => {
    server.once('connection', (socket: Socket) => socket.cork());
    const connected = once(server, 'connection') as Promise<[Socket]>;
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const body = JSON.stringify({ query: 'subscription { count }' });
    reader.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let told = '';
    reader.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const [socket] = await connected;
    await eventually(() => made > 0);
    // What nobody holds back is made in one turn of the loop.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThanOrEqual(3);
    expect(told).toBe('');
    socket.uncork();
    await eventually(() => told.includes('event: complete'), 20);
    expect(told.match(/"count":/g)).toHaveLength(eventsMax);
  });
});

describe('LiveBalances', () => {
  const always = async () => true;
  const createWatched = () => {
    let touch: (accountId: string) => void = () => {};
    let reads = 0;
    const live = new LiveBalances({
      findBalance: async () => {
        reads += 1;
        return { availableMillicredits: reads, heldMillicredits: 0 };
      },
      onWalletTouched: (listener) => {
        touch = listener;
      },
      pollMs: 3_600_000,
    });
    return { live, touch: (accountId: string) => touch(accountId), readCount: () => reads };
  };

  it('forgets whoever left, even one who never began to read', async () => {
    const { live } = createWatched();
    const leaving = new AbortController();
    const watcher = { accountId: 'a', isStillAllowed: always, signal: leaving.signal };
    const [unread, read] = [live.watch(watcher), live.watch(watcher)];
    await read.next();
    const waiting = read.next();
    expect(live.watcherCount).toBe(2);
    leaving.abort();
    expect(await waiting).toMatchObject({ done: true });
    expect(live.watcherCount).toBe(0);
    await unread.return();
    const returned = live.watch({ ...watcher, signal: new AbortController().signal });
    await returned.next();
    await returned.return();
    expect(live.watcherCount).toBe(0);
  });

  it('tells changes that follow each other closely as one, and none of another account', async () => {
    const { live, touch, readCount } = createWatched();
    const leaving = new AbortController();
    const balances = live.watch({ accountId: 'a', isStillAllowed: always, signal: leaving.signal });
    expect((await balances.next()).value).toMatchObject({ availableMillicredits: 1 });
    const next = balances.next();
    touch('b');
    for (let n = 0; n < 100; n += 1) touch('a');
    expect((await next).value).toMatchObject({ availableMillicredits: 2 });
    expect(readCount()).toBe(2);
    leaving.abort();
  });
});
