import {
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { buildGraphqlSchema } from '../graphql/graphql-schema.js';
import { operatorTypes } from '../graphql/operator-guard.js';
import { resolverClasses } from '../graphql/resolvers.js';
import { answerOf, type BrowserAnswer, type CookieBrowser, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';
import { postGraphql } from '../test/post-graphql.js';
import { type OperatorRole, operatorAccess, operatorRoles } from './operator-access.js';
import { tokenOperations } from './people/operator-token-access.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
type Operation = GraphQLField<unknown, unknown> & { readonly kind: 'query' | 'mutation' };
const operations = operatorTypes.flatMap((name) => {
  const type = schema.getType(name);
  const kind = name === 'OperatorQuery' ? ('query' as const) : ('mutation' as const);
  return isObjectType(type) ? Object.values(type.getFields()).map((field): Operation => ({ ...field, kind })) : [];
});
const closed = operations.filter(({ name }) => operatorAccess[name]?.roles !== 'anybody');

function sampleOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if ('name' in inner && inner.name === 'DateTime') return '2026-01-01T00:00:00Z';
  if ('name' in inner && inner.name === 'Boolean') return true;
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (!isInputObjectType(inner)) return 'name' in inner && ['Int', 'Credits'].includes(inner.name) ? 1 : 'text';
  const fields = Object.values(inner.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field.type)]));
}

function toRequest({ kind, name, args, type }: Operation) {
  const sent = args.filter(isRequiredArgument);
  const declared = sent.length > 0 ? `(${sent.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')})` : '';
  const passed = sent.length > 0 ? `(${sent.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})` : '';
  const inner = getNullableType(type);
  const selection = isLeafType(inner) ? '' : '{ __typename }';
  const variables = Object.fromEntries(sent.map((arg) => [arg.name, sampleOf(arg.type)]));
  return { query: `${kind} ${declared} { operator { ${name}${passed} ${selection} } }`, variables };
}

describe('The table of what operators do', () => {
  it('has every operation of the schema, and no other', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(operatorAccess).toSorted());
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'is written at %s',
    (name, { description }) => {
      const roles = operatorAccess[name]?.roles ?? [];
      expect(description).toContain(roles === 'anybody' ? 'also before' : `Operators: ${roles.join(', ')}.`);
    },
  );

  it('gives no credits to those who help, and no change at all to those who look', () => {
    const of = (role: OperatorRole) => closed.filter(({ name }) => operatorAccess[name]?.roles.includes(role as never));
    expect(of('support').filter(({ name }) => name.endsWith('Credits'))).toEqual([]);
    const changes = of('read_only').filter(({ kind }) => kind === 'mutation');
    // Tokens that only look, and their own ways in.
    const own = [
      'startPasskey',
      'addPasskey',
      'removePasskey',
      'startPasskeyProof',
      'provePasskey',
      'prove',
      'signOut',
    ];
    expect(changes.map(({ name }) => name).toSorted()).toEqual([...own, 'createToken', 'revokeToken'].toSorted());
  });
});

describeOnEachDatabase('What operators do', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  /** Two that take turns: one may change something 120 times a minute, and there are more ways to try. */
  let customers: readonly TestAccount[];
  const operators = new Map<OperatorRole, TestOperator>();

  beforeAll(async () => {
    customers = [await of.app.createAccount(5), await of.app.createAccount(5)];
    for (const role of operatorRoles) operators.set(role, await TestOperator.join(of, role));
  }, 60_000);

  let asked = 0;
  // From many networks: one may ask 600 times a minute without a customer's session.
  const ask = async (operation: Operation, headers: Readonly<Record<string, string>>, { app } = of) => {
    asked += 1;
    const from = `198.18.${asked % 250}.1`;
    const response = await postGraphql(app.baseUrl, toRequest(operation), { 'x-forwarded-for': from, ...headers });
    return { ...((await response.json()) as BrowserAnswer), cookies: [] } satisfies BrowserAnswer;
  };
  const answeredBy = ({ data }: BrowserAnswer, { name }: Operation) =>
    (data?.operator as Readonly<Record<string, unknown>> | null | undefined)?.[name] ?? null;
  const cookieOf = (browser: CookieBrowser) => `operator=${browser.cookie('operator')}`;
  const nothingDone = async (work: () => Promise<unknown>) => {
    const count = async () => (await of.app.query('SELECT COUNT(*) AS n FROM operator_event'))[0]?.n;
    const before = await count();
    await work();
    expect(await count()).toEqual(before);
  };

  it.each(closed.map((operation) => [operation.name, operation] as const))(
    '%s is reached by no session, bearer token or key of a customer, nor by nobody',
    async (_, operation) => {
      const customer = customers[closed.indexOf(operation) % customers.length] as TestAccount;
      const ways = [
        {},
        { authorization: `Bearer ${customer.sessionToken}` },
        { cookie: `sid=${customer.sessionToken}` },
        { cookie: `operator=${customer.sessionToken}` },
        { authorization: `Bearer ${customer.secret}` },
        // An operator's token is good as an operator's cookie and in no other way.
        { authorization: `Bearer ${operators.get('owner')?.browser.cookie('operator')}` },
        { cookie: `sid=${operators.get('owner')?.browser.cookie('operator')}` },
      ];
      await nothingDone(async () => {
        for (const headers of ways) {
          const answer = await ask(operation, headers);
          expect(['unauthenticated', 'session_required']).toContain(reasonOf(answer));
          expect(answeredBy(answer, operation)).toBeNull();
        }
      });
    },
  );

  it.each(closed.map((operation) => [operation.name, operation] as const))(
    '%s is refused from another site, whoever is signed in',
    async (_, operation) => {
      const cookie = cookieOf(operators.get('owner')?.browser as CookieBrowser);
      const headers = { cookie, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
      await nothingDone(async () => expect(reasonOf(await ask(operation, headers))).toBe('forbidden'));
    },
  );

  const isFresh = ({ name }: Operation) => operatorAccess[name]?.isFresh === true;
  const cells = closed.flatMap((operation) => operatorRoles.map((role) => [operation.name, role, operation] as const));
  // A session that is over afterwards stands in a test of its own.
  it.each(cells.filter(([name]) => name !== 'signOut'))(
    '%s by %s: as the table says',
    async (name, role, operation) => {
      const isAllowed = operatorAccess[name]?.roles.includes(role as never);
      const answer = await ask(operation, { cookie: cookieOf(operators.get(role)?.browser as CookieBrowser) });
      expect(answer.errors?.[0]?.extensions.role).toBe(isAllowed ? undefined : role);
      if (!isAllowed) expect(answeredBy(answer, operation)).toBeNull();
    },
  );

  it('a token of an owner’s is let in to what the list for scripts names, and to nothing else', async () => {
    const apart = await FactorApp.start(await openTestDatabase());
    const owner = await TestOperator.join(apart, 'owner');
    await owner.prove();
    const token = { name: 'Tries all', role: 'OWNER', days: 1, reason: 'A script' };
    const made = answerOf<{ createToken: string }>(await owner.change('createToken(input: $token)', { token }));
    const isForPeople = ({ errors }: BrowserAnswer) =>
      errors?.some(({ message }) => message.includes('A token may not do this')) === true;
    for (const operation of operations) {
      const answer = await ask(operation, { authorization: `Bearer ${made.createToken}` }, apart);
      const isListed = tokenOperations.has(operation.name);
      expect([operation.name, isForPeople(answer)]).toEqual([operation.name, !isListed]);
      if (!isListed) expect(answeredBy(answer, operation)).toBeNull();
    }
    await apart.close();
  });

  it('asks for a code of the last ten minutes where money moves or somebody is let in', async () => {
    // On a server of its own: one network may ask 600 times a minute without a customer's session, and the tests before were many.
    const apart = await FactorApp.start(await openTestDatabase());
    const owner = await TestOperator.join(apart, 'owner');
    apart.clock.advanceMs(11 * 60_000);
    for (const operation of closed.filter(isFresh)) {
      const answer = await ask(operation, { cookie: cookieOf(owner.browser) }, apart);
      expect([operation.name, reasonOf(answer)]).toEqual([operation.name, 'fresh_factor_required']);
    }
    expect(reasonOf(await owner.change('prove(code: $code)', { code: '000000' }))).toBe('invalid_value');
    expect(reasonOf(await owner.prove())).toBe('done');
    for (const operation of closed.filter(isFresh)) {
      const answer = await ask(operation, { cookie: cookieOf(owner.browser) }, apart);
      expect(reasonOf(answer)).not.toBe('fresh_factor_required');
    }
    await apart.close();
  });

  it('takes one change in one request', async () => {
    const owner = operators.get('owner') as TestOperator;
    const twice = 'a: prove(code: "1") b: prove(code: "2")';
    expect((await owner.change(twice)).errors?.[0]?.message).toContain('at most 1 root field');
    // Clients add this by themselves.
    const withType = '__typename prove(code: $code)';
    expect(reasonOf(await owner.change(withType, { code: owner.nextCode() }))).toBe('done');
  });
});
