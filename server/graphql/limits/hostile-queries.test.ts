import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { serverAudits } from 'graphql-http';
import { silentLogger } from '../../kernel/logger.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { createGraphqlServer } from '../create-graphql-server.js';
import { buildGraphqlSchema } from '../graphql-schema.js';
import { resolverClasses } from '../resolvers.js';
import { OperationGate } from './operation-gate.js';
import { measureCost } from './query-cost.js';

const many = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n)).join(' ');
const call = 'id model provider tier held charged absorbed streamed outcome errorCode finishReason usageSource';
const bomb = many(24, (n) => `fragment F${n} on Query { ...F${n + 1} ... on Query { ...F${n + 1} } }`);

// As text: nothing else in this process need walk down so far.
function nestLists(levels: number): Record<string, unknown> {
  return { x: { toJSON: () => `@${levels}@` } };
}

const hours = 'from: "2026-01-01T00:00:00Z", to: "2026-02-11T07:00:00Z", bucket: HOUR';
const byTag = `explore(input: { ${hours}, metric: COST, groupBy: TAG, groups: 50 })`;
const cell = 'sums { calls failedCalls promptTokens completionTokens cachedTokens reasoningTokens charged }';

type Hostile = { query?: string; variables?: Record<string, unknown> };
const hostile: readonly [name: string, body: Hostile, status: number][] = [
  [
    'depth 15 of the one type that is recursive',
    { query: `{ __schema { types { ${'fields { type { '.repeat(7)}name${' } }'.repeat(7)} } } }` },
    400,
  ],
  ['depth 15 outside the schema', { query: `{ ${'calls { '.repeat(15)}edges${' }'.repeat(15)} }` }, 400],
  ['5,000 aliases', { query: `{${many(5_000, (n) => `a${n}:models{id}`)}}` }, 400],
  ['40 aliases', { query: `{ ${many(40, (n) => `a${n}: models { id }`)} }` }, 400],
  ['a fragment bomb', { query: `{ ...F0 } ${bomb} fragment F24 on Query { models { id } }` }, 400],
  ['circular fragments', { query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' }, 400],
  ['first: 1e9', { query: '{ calls(first: 1000000000) { edges { cursor } } }' }, 200],
  [
    'first: 1e9 as a variable',
    { query: 'query ($n: Int!) { calls(first: $n) { edges { cursor } } }', variables: { n: 1e9 } },
    200,
  ],
  ['1 MB of variables', { query: '{ nonsense }', variables: { x: 'x'.repeat(1_000_000) } }, 413],
  ['20,000 duplicate fields', { query: `{models{${'id '.repeat(20_000)}}}` }, 400],
  ['a flood of directives', { query: `{ models ${'@include(if: true) '.repeat(300)} { id } }` }, 400],
  [
    'five full pages',
    { query: `{ ${many(5, (n) => `p${n}: calls(first: 100) { edges { node { ${call} } } }`)} }` },
    400,
  ],
  ['3,000 values of variables', { query: '{ models { id } }', variables: { x: Array(3_000).fill(1) } }, 400],
  ['40,000 levels of variables', { query: '{ models { id } }', variables: nestLists(40_000) }, 400],
  ['33 levels of variables', { query: '{ models { id } }', variables: nestLists(33) }, 400],
  ['991 hours by 50 groups', { query: `{ ${byTag} { groups { buckets { ${cell} } } } }` }, 400],
  [
    'ten reports of 991 hours that ask for nothing of their cells',
    { query: `{ ${many(10, (n) => `a${n}: ${byTag} { areTimesPartial }`)} }` },
    400,
  ],
  [
    'the buckets of one report, 15 times',
    { query: `{ usage(input: { ${hours} }) { ${many(15, (n) => `b${n}: buckets { start ${cell} }`)} } }` },
    400,
  ],
  ['a batch', [{ query: '{ models { id } }' }] as Hostile, 400],
];

describeOnEachDatabase('hostile GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  const post = async (body: unknown, sessionToken: string | null = account.sessionToken) => {
    const response = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(sessionToken === null ? {} : { authorization: `Bearer ${sessionToken}` }),
      },
      body: JSON.stringify(body).replace(
        /"@(\d+)@"/,
        (_, levels: string) => '['.repeat(Number(levels)) + ']'.repeat(Number(levels)),
      ),
    });
    const answer = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
    return { status: response.status, ...answer };
  };

  it.each(hostile)('refuses %s before anything runs', async (_, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.data ?? null).toBeNull();
    expect(answer.errors?.[0]?.extensions.code).toMatch(
      /^(GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED|BAD_USER_INPUT|BAD_REQUEST)$/,
    );
  });

  it('tries one password per request, however many are asked for', async () => {
    const signIn = (n: number) =>
      `a${n}: signIn(input: { email: "a@example.com", password: "guess ${n}" }) { sessionToken }`;
    for (const count of [2, 5_000]) {
      const { status, errors } = await post({ query: `mutation { ${many(count, signIn)} }`.slice(0, 99_000) }, null);
      expect([400, 413]).toContain(status);
      expect(errors?.length).toBeGreaterThan(0);
    }
    const batch = Array.from({ length: 2 }, (_, n) => ({ query: `mutation { ${signIn(n)} }` }));
    expect((await post(batch, null)).status).toBe(400);
    // All ten guesses of the throttle are left.
    for (let n = 0; n < 10; n += 1) {
      expect((await post({ query: `mutation { ${signIn(n)} }` }, null)).errors?.[0]?.extensions.code).toBe(
        'UNAUTHENTICATED',
      );
    }
    expect((await post({ query: `mutation { ${signIn(0)} }` }, null)).errors?.[0]?.extensions.code).toBe(
      'RATE_LIMITED',
    );
  });

  it('tells the schema to whoever is signed in, and to nobody else, however it is asked', async () => {
    expect((await post({ query: '{ __schema { queryType { name } } }' })).data).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
    for (const query of [
      '{ __schema { queryType { name } } }',
      '{ models { id } __type(name: "Call") { name } }',
      '{ ...F } fragment F on Query { x: __schema { queryType { name } } }',
    ]) {
      const answer = await post({ query }, null);
      expect(answer.data ?? null).toBeNull();
      expect(answer.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    }
    const typo = await post({ query: '{ modells { id } }' }, null);
    expect(JSON.stringify(typo)).not.toContain('Did you mean');
  });

  it('lets an account do so much of one thing, counted over all its sessions, and others meanwhile', async () => {
    const other = await app.createAccount(0);
    const redo = { query: 'mutation { ...F } fragment F on Mutation { startCheckout(input: { dollars: 1 }) { url } }' };
    const codes = await Promise.all(
      Array.from({ length: 61 }, async () => (await post(redo)).errors?.[0]?.extensions.code),
    );
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
    expect((await post(redo, other.sessionToken)).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('counts a report under each of its aliases among the 240 of a minute', async () => {
    const person = await app.createAccount(0);
    const day = 'from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", bucket: DAY';
    const query = `{ ${many(10, (n) => `a${n}: usage(input: { ${day} }) { total { calls } }`)} }`;
    const codes: unknown[] = [];
    for (let n = 0; n < 25; n += 1)
      codes.push((await post({ query }, person.sessionToken)).errors?.[0]?.extensions.code);
    expect(codes).toEqual([...Array(24).fill(undefined), 'RATE_LIMITED']);
  });

  it('passes every MUST of the audit of GraphQL over HTTP', async () => {
    const failures: string[] = [];
    let passed = 0;
    const fetchFn = (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${account.sessionToken}` } });
    for (const audit of serverAudits({ url: `${app.baseUrl}/graphql`, fetchFn })) {
      const result = await audit.fn();
      if (result.status === 'ok') passed += 1;
      else if (result.status === 'error') failures.push(`${result.name}: ${result.reason}`);
      else process.stdout.write(`${result.status}: ${result.name}: ${result.reason}\n`);
    }
    process.stdout.write(`${passed} audits passed\n`);
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(30);
  });
});

describe('the refusal of hostile GraphQL', () => {
  it('takes place before anything runs; what it costs is printed', async () => {
    const resolved: string[] = [];
    const schema = buildGraphqlSchema(resolverClasses, new Map());
    const server = await createGraphqlServer(schema, new OperationGate(), silentLogger);
    const viewer = { accountId: 'acct', sessionId: 'sess' };
    const contextValue = { viewer, addressOfCaller: '::1', loadOnce: (name: string) => resolved.push(name) };
    for (const [name, body] of hostile.filter(
      ([, { query }]) => query !== undefined && query !== '{ models { id } }',
    )) {
      let bestMs = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 10; round += 1) {
        const startMs = performance.now();
        const { body: answer } = await server.executeOperation(body, {
          contextValue: contextValue as unknown as GraphqlContext,
        });
        bestMs = Math.min(bestMs, performance.now() - startMs);
        expect(answer.kind === 'single' && answer.singleResult.errors?.length).toBeTruthy();
      }
      process.stdout.write(`${name}: refused in ${bestMs.toFixed(2)} ms in this process\n`);
    }
    expect(resolved).toEqual([]);
    await server.stop();
  });
});

describe('the cost of a query', () => {
  const cost = (query: string, variables: Record<string, unknown> = {}) => {
    const { definitions } = parse(query);
    const fragments = new Map(
      definitions.flatMap((part) => (part.kind === Kind.FRAGMENT_DEFINITION ? [[part.name.value, part] as const] : [])),
    );
    return measureCost({ operation: definitions[0] as OperationDefinitionNode, fragments, variables });
  };

  it('multiplies what a page holds by its length, also as a variable, in a fragment or left out', () => {
    expect(cost('{ models { id } }')).toBe(2);
    expect(cost('{ calls(first: 100) { edges { node { id model } } } }')).toBe(401);
    expect(cost('query ($n: Int) { calls(first: $n) { edges { cursor } } }', { n: 10 })).toBe(21);
    expect(cost('query ($n: Int = 50) { calls(first: $n) { edges { cursor } } }')).toBe(101);
    expect(cost('{ calls(first: null) { edges { cursor } } }')).toBe(51);
    expect(cost('query ($n: Int = 50) { calls(first: $n) { edges { cursor } } }', { n: null })).toBe(51);
    expect(cost('{ calls { ...F } } fragment F on CallConnection { edges { cursor } }')).toBe(51);
    expect(cost('{ __schema { types { name } } }')).toBe(1);
  });

  it('ends soon on a bomb of fragments', () => {
    expect(cost(`{ ...F0 } ${bomb} fragment F24 on Query { models { id } }`)).toBeGreaterThan(6_000);
  });
});
