import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const values: Readonly<Record<string, unknown>> = {
  ID: 'the-id',
  String: 'some text',
  Int: 10,
  Boolean: true,
  DateTime: '2026-01-01T00:00:00Z',
  Credits: 100,
};

/** A value with every field of the type, also those that may be left out. */
function fill(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return fill(type.ofType);
  if (isListType(type)) return [fill(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return values[type.name];
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, fill(field.type)]));
}

const operations = [['query', schema.getQueryType()] as const, ['mutation', schema.getMutationType()] as const].flatMap(
  ([kind, root]) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ args }) => args.some(({ type }) => isInputObjectType(getNamedType(type))))
      .map((field) => {
        const list = (show: (name: string, type: unknown) => string) =>
          field.args.map(({ name, type }) => show(name, type)).join(', ');
        const selection = isObjectType(getNamedType(field.type)) ? '{ __typename }' : '';
        return {
          name: field.name,
          query: `${kind} (${list((name, type) => `$${name}: ${type}`)}) { ${field.name}(${list((name) => `${name}: $${name}`)}) ${selection} }`,
          variables: Object.fromEntries(field.args.map(({ name, type }) => [name, fill(type)])),
        };
      }),
);

describeOnEachDatabase('every operation with an input', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  let account: TestAccount;
  beforeAll(async () => {
    account = await app.createAccount(0);
  });

  // A field without a rule of its own is refused as one that should not exist; a refusal by a rule is fine here.
  it.each(operations)('$name knows each field of it, and reports no fault of ours', async ({ query, variables }) => {
    const response = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.sessionToken}` },
      body: JSON.stringify({ query, variables }),
    });
    const answer = await response.text();
    expect(response.status).toBe(200);
    expect(answer).not.toMatch(/should not exist|"INTERNAL"/);
  });
});
