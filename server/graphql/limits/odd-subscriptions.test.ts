import { once } from 'node:events';
import { WebSocket } from 'ws';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const sound = 'subscription { balance { available } }';
const condition = 'subscription ($b: Boolean!) { balance @include(if: $b) { available } }';

interface Odd {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
}
/** Each with what it is answered on the two addresses of subscriptions. */
const odd: readonly [name: string, body: Odd, code: string][] = [
  ['a variable condition at the root', { query: condition, variables: { b: true } }, 'GRAPHQL_VALIDATION_FAILED'],
  ['a condition without its variable', { query: condition }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    '@skip on the one field',
    { query: 'subscription { balance @skip(if: true) { held } }' },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['@skip(if: false)', { query: 'subscription { balance @skip(if: false) { held } }' }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a condition within fragments at the root',
    { query: 'subscription { ...A } fragment A on Subscription { ... { balance @include(if: false) { held } } }' },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'a condition at a fragment of the root',
    { query: 'subscription { ...A @skip(if: true) } fragment A on Subscription { balance { held } }' },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'another operation that cannot be judged',
    { query: `subscription A { balance { held } } ${condition.replace('(', 'B (')}`, operationName: 'A' },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'fragments that spread themselves',
    { query: 'subscription { ...A } fragment A on Subscription { ...B } fragment B on Subscription { ...A }' },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'a variable that is left out below',
    { query: 'subscription ($b: Boolean!) { balance { available @include(if: $b) } }' },
    'BAD_USER_INPUT',
  ],
  [
    'a variable of another type below',
    { query: 'subscription ($b: Boolean!) { balance { available @include(if: $b) } }', variables: { b: [{}] } },
    'BAD_USER_INPUT',
  ],
  ['a name that is not there', { query: sound, operationName: 'x'.repeat(9_000) }, 'BAD_USER_INPUT'],
];

describeOnEachDatabase('odd subscriptions', (openTestDatabase) => {
  const app = TestApp.forEach(openTestDatabase);
  const account = app.accountForEach(5);

  const post = (path: string, body: unknown, token: string | null = account.sessionToken) =>
    fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  async function connect() {
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const socket = new WebSocket(`${app.baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    const told: { id?: string; type: string; payload?: unknown }[] = [];
    const waiting = new Map<string, (message: (typeof told)[number]) => void>();
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      told.push(message);
      waiting.get(message.id ?? message.type)?.(message);
    });
    socket.on('close', (code) => {
      for (const tell of waiting.values()) tell({ type: `closed ${code}` });
    });
    const send = (message: { id?: string; type: string; payload?: unknown }, answer = message.id ?? message.type) => {
      const said = new Promise<(typeof told)[number]>((resolve) => waiting.set(answer, resolve));
      socket.send(JSON.stringify(message));
      return said;
    };
    await once(socket, 'open');
    await send({ type: 'connection_init' }, 'connection_ack');
    return { socket, send };
  }
  const firstCode = (payload: unknown) =>
    (payload as { errors?: { extensions?: { code?: string } }[] }).errors?.[0]?.extensions?.code;

  it.each([
    ['nobody', null],
    ['somebody', undefined],
  ])('are a fault of the request at the address of other operations, sent by %s', async (_, token) => {
    for (const [name, body] of odd) {
      for (const query of [body.query, `${body.query} query Sound { models { id } }`]) {
        const response = await post('/graphql', { ...body, query }, token);
        const answer = await response.json();
        expect([name, response.status < 500, firstCode(answer)]).toEqual([
          name,
          true,
          expect.stringMatching(/^(GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT|OPERATION_RESOLUTION_FAILURE)$/),
        ]);
      }
    }
    expect(app.logLines.join('')).not.toMatch(/graphql_failed|graphql_server_failed/);
  });

  it.each(odd)('are answered 400 by events: %s', async (_, body, code) => {
    const response = await post('/graphql/stream', body);
    expect([response.status, firstCode(await response.json())]).toEqual([400, code]);
    expect(app.logLines.join('')).not.toContain('graphql_failed');
  });

  it('leave the other subscriptions of a WebSocket as they are', async () => {
    const { socket, send } = await connect();
    await send({ id: 'sound', type: 'subscribe', payload: { query: sound } });
    for (const [name, payload, code] of odd) {
      const said = await send({ id: name, type: 'subscribe', payload });
      expect([name, said]).toEqual([
        name,
        { id: name, type: 'error', payload: [expect.objectContaining({ extensions: { code } })] },
      ]);
    }
    const next = send({ type: 'ping' }, 'sound');
    await app.setBalance(account.accountId, 7_000);
    expect(await next).toMatchObject({ type: 'next', payload: { data: { balance: { available: 7 } } } });
    socket.terminate();
  });

  it.each<[string, unknown]>([
    ['no query', {}],
    ['a list as the query', { query: [] }],
    ['a list of variables', { query: sound, variables: [] }],
    ['extensions that are none', { query: sound, extensions: 'x' }],
    ['a list', []],
  ])('have a code in each refusal: %s', async (_, body) => {
    const response = await post('/graphql/stream', body);
    expect([response.status, firstCode(await response.json())]).toEqual([400, 'BAD_USER_INPUT']);
  });

  it('are sixty a minute, by events and by WebSocket together, and the connection stays', async () => {
    const { socket, send } = await connect();
    for (let n = 0; n < 30; n += 1) {
      const response = await post('/graphql/stream', { query: sound });
      expect(response.status).toBe(200);
      await response.body?.cancel();
      expect(await send({ id: `s${n}`, type: 'subscribe', payload: { query: sound } })).toMatchObject({ type: 'next' });
      socket.send(JSON.stringify({ id: `s${n}`, type: 'complete' }));
    }
    const refusal = {
      extensions: expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) }),
    };
    const response = await post('/graphql/stream', { query: sound });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ errors: [refusal] });
    expect(await send({ id: 'x', type: 'subscribe', payload: { query: sound } })).toMatchObject({
      type: 'error',
      payload: [refusal],
    });
    expect(await send({ type: 'ping' }, 'pong')).toMatchObject({ type: 'pong' });
    socket.terminate();
  });

  it('made up by chance are faults of their requests, whatever they hold', async () => {
    const pick = makePicker(20_261_128);
    const { socket, send } = await connect();
    for (let n = 0; n < 50; n += 1) {
      const body = makeUp(pick);
      for (const path of ['/graphql', '/graphql/stream']) {
        const response = await post(path, body);
        await response.body?.cancel();
        expect([body, response.status < 500]).toEqual([body, true]);
      }
      const said = await send({ id: `m${n}`, type: 'subscribe', payload: body });
      expect([body, said.type]).toEqual([body, expect.stringMatching(/^(next|error|complete)$/)]);
      socket.send(JSON.stringify({ id: `m${n}`, type: 'complete' }));
    }
    expect(app.logLines.join('')).not.toMatch(/graphql_failed|graphql_server_failed|graphql_socket_failed/);
    socket.terminate();
  });
});

type Picker = <T>(from: readonly T[]) => T;

/** The same picks in each run. */
function makePicker(seed: number): Picker {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[(state >>> 8) % from.length] as (typeof from)[number];
  };
}

function makeUp(pick: Picker): { query: string; variables?: Record<string, unknown> } {
  const directive = () =>
    pick([
      '',
      '',
      '@skip(if: true)',
      '@include(if: $b)',
      '@skip(if: $n)',
      '@include',
      '@deprecated',
      '@include(if: 3)',
      '@x',
    ]);
  const field = () =>
    pick([
      'balance',
      '__typename',
      'x: balance',
      'constructor',
      '__proto__',
      'n'.repeat(5_000),
      '...A',
      '... on Query',
      '...',
    ]);
  const below = () =>
    pick(['{ available }', `{ held ${directive()} }`, '{ ...A }', '{ balance }', '', '{ __typename }']);
  const definition = pick([
    '',
    '($b: Boolean!)',
    '($b: Boolean = true, $n: Int)',
    '($b: Balance)',
    '($b: [[Boolean!]])',
  ]);
  const fragment = pick([
    '',
    `fragment A on Subscription { ...A ${directive()} }`,
    `fragment A on Balance { held ${directive()} }`,
  ]);
  const query = `${pick(['subscription', 'subscription', 'query'])} ${definition} { ${field()} ${directive()} ${below()} } ${fragment}`;
  const variables = pick([undefined, {}, { b: true }, { b: null }, { b: [], n: 1e99 }, { b: { constructor: 1 } }]);
  return { query, ...(variables && { variables }) };
}
