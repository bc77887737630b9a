import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { silentLogger } from '../kernel/logger.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { changeKey } from '../test/test-keys.js';
import { standStill } from '../test/tick-awake.js';
import { GraphqlSockets } from './graphql-sockets.js';
import type { SubscriptionParts } from './subscription.js';

const query = 'subscription { balance { available held } }';
const protocol = 'graphql-transport-ws';

type Closing = readonly [code: number, reason: string];

async function closingOf(socket: WebSocket): Promise<Closing> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
}

describeOnEachDatabase('subscriptions over WebSocket', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  let isClosed: boolean;
  const clients: Client[] = [];
  const sockets: WebSocket[] = [];

  beforeEach(async () => {
    app = await TestApp.start(await openTestDatabase());
    account = await app.createAccount(5);
    isClosed = false;
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
    for (const socket of sockets.splice(0)) socket.terminate();
    if (!isClosed) await app.close();
  });

  const url = () => `${app.baseUrl.replace('http', 'ws')}/graphql`;
  /** What real clients use. */
  function connect(connectionParams: Record<string, unknown>, headers: Record<string, string> = {}): Client {
    class Socket extends WebSocket {
      constructor(address: string, protocols?: string | string[]) {
        super(address, protocols, { headers });
      }
    }
    const client = createClient({ url: url(), webSocketImpl: Socket, connectionParams, retryAttempts: 0 });
    clients.push(client);
    return client;
  }
  /** A connection by hand. */
  function open(headers: Record<string, string> = {}, protocols: string[] = [protocol]): WebSocket {
    const socket = new WebSocket(url(), protocols, { headers });
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  }
  const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message));
  const receive = async (socket: WebSocket) => JSON.parse(String(((await once(socket, 'message')) as [Buffer])[0]));
  /** Says who one is. @returns what the server says to it: its message, or how it closed the connection. */
  async function begin(token: string | null): Promise<{ socket: WebSocket; said: Promise<unknown> }> {
    const socket = open();
    const said = Promise.race([receive(socket), closingOf(socket)]);
    await once(socket, 'open');
    send(socket, { type: 'connection_init', ...(token && { payload: { authorization: `Bearer ${token}` } }) });
    return { socket, said };
  }

  it.each<[string, (token: string) => Client]>([
    ['the first message', (token) => connect({ authorization: `Bearer ${token}` })],
    ['headers in the first message', (token) => connect({ headers: { Authorization: `Bearer ${token}` } })],
    ['the header', (token) => connect({}, { authorization: `Bearer ${token}` })],
    ['the cookie of our own page', (token) => connect({}, { cookie: `sid=${token}`, origin: 'http://tollgate.test' })],
  ])('tell the balance and each change of it to whoever is known by %s', async (_, connectBy) => {
    const balances = connectBy(account.sessionToken).iterate({ query });
    expect((await balances.next()).value).toEqual({ data: { balance: { available: 5_000, held: 0 } } });
    await app.setBalance(account.accountId, 123_456);
    expect((await balances.next()).value).toEqual({ data: { balance: { available: 123.456, held: 0 } } });
  });

  it('end when their session ends, and are refused to it from then on', async () => {
    const client = connect({ authorization: `Bearer ${account.sessionToken}` });
    const balances = client.iterate({ query });
    await balances.next();
    await app.graphql('mutation { signOutEverywhere }', {}, account.sessionToken);
    expect(await balances.next()).toMatchObject({ done: true });
    await expect(client.iterate({ query }).next()).rejects.toMatchObject({ code: 4401 });
  });

  it('are told to a key that may read the usage, until it may no longer', async () => {
    const client = connect({ authorization: `Bearer ${account.secret}` });
    const balances = client.iterate({ query });
    expect((await balances.next()).value).toEqual({ data: { balance: { available: 5_000, held: 0 } } });
    await changeKey(app, account, { scopes: ['CHAT'] });
    expect(await balances.next()).toMatchObject({ done: true });
    const refusal = { extensions: { code: 'FORBIDDEN', reason: 'missing_scope' } };
    expect((await client.iterate({ query }).next()).value).toMatchObject({ errors: [refusal] });
  });

  it('are refused to nobody, and to a session that never was', async () => {
    for (const token of [null, 'nonsense', `sk-tg-${'a'.repeat(46)}`]) {
      expect(await (await begin(token)).said).toEqual([4401, expect.any(String)]);
    }
  });

  it('are refused to another site’s page that comes with our cookie', async () => {
    const socket = open({ cookie: `sid=${account.sessionToken}`, origin: 'https://evil.example' });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });

  it.each([
    ['a query', '{ viewer { id } }', 'BAD_USER_INPUT'],
    ['a mutation', 'mutation { signOut }', 'BAD_USER_INPUT'],
    ['what is no GraphQL', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', 'subscription { balances }', 'GRAPHQL_VALIDATION_FAILED'],
    ['two fields', 'subscription { balance { held } x: balance { held } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['too many words', `subscription { ${'balance '.repeat(1_001)} }`, 'GRAPHQL_PARSE_FAILED'],
  ])('are nothing for %s', async (_, asked, code) => {
    const client = connect({ authorization: `Bearer ${account.sessionToken}` });
    await expect(client.iterate({ query: asked }).next()).rejects.toMatchObject([{ extensions: { code } }]);
  });

  it('are five for an account, on one connection or on several', async () => {
    const many = Array.from({ length: 4 }, () => connect({ authorization: `Bearer ${account.sessionToken}` }));
    const five = [...many, many[0] as Client].map((client) => client.iterate({ query }));
    await Promise.all(five.map((balances) => balances.next()));
    const refused = await (many[1] as Client).iterate({ query }).next();
    expect(refused.value).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  });

  it('have five connections for an account, and a sixth once one has left', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => begin(account.sessionToken)));
    for (const { said } of five) expect(await said).toEqual({ type: 'connection_ack' });
    const sixth = await begin(account.sessionToken);
    expect(await sixth.said).toEqual([4429, expect.stringContaining('Close one')]);
    five[0]?.socket.close();
    for (let isLetIn = false; !isLetIn; ) isLetIn = !Array.isArray(await (await begin(account.sessionToken)).said);
  });

  it.each<[string, number, (socket: WebSocket) => void]>([
    ['a message of more than 100 kB', 1009, (socket) => socket.send('x'.repeat(100_001))],
    ['what is no JSON', 4400, (socket) => socket.send('{')],
    ['bytes', 4400, (socket) => socket.send(Buffer.from('{}'))],
    ['thousands of values', 4400, (socket) => socket.send(`{"type":"ping","payload":{"a":[${'1,'.repeat(2_001)}1]}}`)],
    ['a deep nest', 4400, (socket) => socket.send(`${'['.repeat(40)}${']'.repeat(40)}`)],
    [
      'a subscription before its sender is known',
      4401,
      (socket) => send(socket, { id: '1', type: 'subscribe', payload: { query } }),
    ],
    [
      'more messages than anybody needs',
      4429,
      (socket) => {
        for (let n = 0; n < 121; n += 1) send(socket, { type: 'ping' });
      },
    ],
  ])('close the connection for %s', async (_, code, misbehave) => {
    const socket = open();
    await once(socket, 'open');
    const closing = closingOf(socket);
    misbehave(socket);
    expect((await closing)[0]).toBe(code);
    expect(app.logLines.join('')).not.toContain('graphql_socket_failed');
  });

  it('speak no other protocol', async () => {
    expect((await closingOf(open({}, [])))[0]).toBe(4406);
    const [error] = await once(open({}, ['graphql-ws']), 'error');
    expect(error.message).toContain('no subprotocol');
  });

  it('end well when the server stops', async () => {
    const { socket, said } = await begin(account.sessionToken);
    await said;
    const closing = closingOf(socket);
    await app.close();
    isClosed = true;
    expect((await closing)[0]).toBe(1001);
  });
});

describe('a WebSocket that nobody uses', () => {
  let server: Server;
  async function openSockets(
    times: { initMs: number; pingMs: number; idleMs: number },
    isAnswering = true,
  ): Promise<WebSocket> {
    const viewers = { refuseForeign: () => {}, find: async () => ({ accountId: 'a', sessionId: 's', key: null }) };
    const parts = { viewers, logger: silentLogger } as unknown as SubscriptionParts;
    const sockets = new GraphqlSockets(parts, times);
    const app = express();
    server = createServer(app).on('upgrade', (request, socket, head) => {
      sockets.take(Object.setPrototypeOf(request, app.request), socket, head);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, protocol, {
      autoPong: isAnswering,
    });
  }
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const never = 3_600_000;

  it('is closed when nobody says who they are', async () => {
    expect((await closingOf(await openSockets({ initMs: 5, pingMs: never, idleMs: never })))[0]).toBe(4408);
  });

  it('is closed when its client does not answer', async () => {
    expect((await closingOf(await openSockets({ initMs: never, pingMs: 5, idleMs: never }, false)))[0]).toBe(1006);
  });

  it('is not closed because this process stood still: what its client answered meanwhile is read first', async () => {
    const socket = await openSockets({ initMs: never, pingMs: 100, idleMs: never });
    const closed = closingOf(socket).then(() => 'closed');
    await once(socket, 'ping');
    standStill(500);
    expect(await Promise.race([closed, once(socket, 'ping').then(() => 'asked again')])).toBe('asked again');
  });

  it('is closed when nothing is asked on it', async () => {
    const socket = await openSockets({ initMs: never, pingMs: 250, idleMs: 0 });
    const closing = closingOf(socket);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    expect(await closing).toEqual([1000, 'Nothing was asked.']);
  });
});
