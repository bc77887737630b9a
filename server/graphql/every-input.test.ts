import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { fillInput } from '../test/filled-input.js';
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
        };
      }),
);

describeOnEachDatabase('every operation with an input', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  // A field without a rule of its own is refused as one that should not exist; a refusal by a rule is fine here.
  it.each(operations)('$name knows each field of it, and reports no fault of ours', async ({ query, variables }) => {
    const response = await postGraphql(
      app.baseUrl,
      { query, variables },
      { authorization: `Bearer ${account.sessionToken}` },
    );
    const answer = await response.text();
    expect(response.status).toBe(200);
    expect(answer).not.toMatch(/should not exist|"INTERNAL"/);
  });
});
