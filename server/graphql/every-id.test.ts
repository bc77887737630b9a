import { type GraphQLInputType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { fillInput } from '../test/filled-input.js';
import { postGraphql } from '../test/post-graphql.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());

/** Where fields with arguments stand, and what is written around one of them. */
const roots: Readonly<Record<string, (field: string) => string>> = {
  Query: (field) => `query OPENED { ${field} }`,
  Mutation: (field) => `mutation OPENED { ${field} }`,
  Subscription: (field) => `subscription OPENED { ${field} }`,
  OperatorQuery: (field) => `query OPENED { operator { ${field} } }`,
  OperatorMutation: (field) => `mutation OPENED { operator { ${field} } }`,
};

/** The fields of a value that are ids, by the way to each; '' is the value itself. */
function listIds(type: GraphQLInputType, path = ''): string[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID' ? [path] : [];
  return Object.values(named.getFields()).flatMap((field) => listIds(field.type, `${path}.${field.name}`));
}

/** The value with another id at the end of the way. */
function put(value: unknown, [name, ...way]: readonly string[], id: string): unknown {
  if (Array.isArray(value)) return [put(value[0], name === undefined ? [] : [name, ...way], id)];
  if (name === undefined) return id;
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: put(fields[name], way, id) };
}

const positions = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
  .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : []))
  .flatMap(({ type, field }) =>
    field.args.flatMap((argument) =>
      listIds(argument.type).map((path) => {
        const list = (show: (name: string, of: unknown) => string) =>
          field.args.map(({ name, type: of }) => show(name, of)).join(', ');
        const selection = isObjectType(getNamedType(field.type)) ? '{ __typename }' : '';
        const wrap = roots[type.name] ?? (() => '');
        const variablesOf = (id: string, odd: string) =>
          Object.fromEntries(
            field.args.map(({ name, type: of }) => {
              const filled = fillInput(of, id);
              return [name, name === argument.name ? put(filled, path.split('.').slice(1), odd) : filled];
            }),
          );
        return {
          name: `${type.name}.${field.name}(${argument.name}${path})`,
          root: type.name,
          last: path.split('.').at(-1) || argument.name,
          query: wrap(`${field.name}(${list((name) => `${name}: $${name}`)}) ${selection}`).replace(
            'OPENED',
            `(${list((name, of) => `$${name}: ${of}`)})`,
          ),
          variablesOf,
        };
      }),
    ),
  );

it('of the schema stand where this suite can ask for each of them', () => {
  expect(positions.length).toBeGreaterThan(70);
  expect(positions.filter(({ root }) => !(root in roots)).map(({ name }) => name)).toEqual([]);
});

describeOnEachDatabase('Ids of the schema', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  const ask = async (query: string, variables: object = {}) => {
    const response = await postGraphql(
      app.baseUrl,
      { query, variables },
      { authorization: `Bearer ${account.sessionToken}` },
    );
    return (await response.json()) as { errors?: { message: string; extensions: { code: string } }[] };
  };
  const asked = positions.filter(({ root }) => root !== 'Subscription');

  it.each(asked)('are refused with a blank behind them, by the argument’s name: $name', async (position) => {
    const { query, variablesOf, last } = position;
    const { errors } = await ask(query, variablesOf(account.accountId, `${account.accountId} `));
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(errors?.[0]?.message).toMatch(new RegExp(`\\b${last}\\b.*without blanks`));
    expect(errors?.[0]?.message).not.toContain(account.accountId);
  });

  it.each([' ', '', '\t', '\u00a0', 'é', '\u0000', '\u2028'])(
    'are refused with %j behind or alone, also as they stand in a document',
    async (odd) => {
      for (const id of [odd, ...(odd === '' ? [] : [`${account.accountId}${odd}`, `${odd}${account.accountId}`])]) {
        const query = `mutation { switchAccount(accountId: ${JSON.stringify(id)}) }`;
        const { errors } = await ask(query);
        expect([id, errors?.[0]?.extensions.code]).toEqual([id, 'GRAPHQL_VALIDATION_FAILED']);
        expect(errors?.[0]?.message).toMatch(/^"accountId" has an invalid value\. .*without blanks/);
        const listed = await ask(
          `{ explore(input: { filter: { apiKeyIds: ["key_1", ${JSON.stringify(id)}] } }) { __typename } }`,
        );
        expect(listed.errors?.some(({ message }) => message.startsWith('"apiKeyIds" has an invalid value'))).toBe(true);
      }
      const { errors } = await ask('mutation ($id: ID!) { switchAccount(accountId: $id) }', { id: account.accountId });
      expect(errors).toBeUndefined();
    },
  );
});
