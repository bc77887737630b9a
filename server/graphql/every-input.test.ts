import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { fillInput, fillNeeded } from '../test/filled-input.js';
import { postGraphql } from '../test/post-graphql.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());

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
          variables: Object.fromEntries(field.args.map(({ name, type }) => [name, fillInput(type, 'the-id')])),
          needed: Object.fromEntries(field.args.map(({ name, type }) => [name, fillNeeded(type, 'the-id')])),
        };
      }),
);

describeOnEachDatabase('every operation with an input', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  const ask = async (query: string, variables: object) => {
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const response = await postGraphql(app.baseUrl, { query, variables }, headers);
    return { status: response.status, answer: await response.text() };
  };

  // A field without a rule of its own is refused as one that should not exist; a refusal by a rule is fine here.
  it.each(operations)('$name knows each field of it, and reports no fault of ours', async ({ query, variables }) => {
    const { status, answer } = await ask(query, variables);
    expect(status).toBe(200);
    expect(answer).not.toMatch(/should not exist|"INTERNAL"/);
  });

  it.each(operations)('$name takes null for each field that may be left out, or refuses it', async (operation) => {
    const { status, answer } = await ask(operation.query, operation.needed);
    expect(status).toBe(200);
    expect(answer).not.toContain('"INTERNAL"');
  });
});
