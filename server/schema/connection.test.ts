import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

interface Page {
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

describeOnEachDatabase('a list of the account in GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  beforeAll(async () => {
    for (let n = 0; n < 3; n += 1) await buy();
  });

  const ask = <Data>(query: string, variables: object = {}) =>
    app.graphql<Data>(query, variables, account.sessionToken);
  const buy = () => ask('mutation { startCheckout(input: { dollars: 5 }) { url } }');

  const list = async (args: { readonly first?: number | null; readonly after?: string | null }): Promise<Page> => {
    const query = `query ($first: Int, $after: String) { purchases(first: $first, after: $after) {
      edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
    return (await ask<{ purchases: Page }>(query, args)).purchases;
  };

  it('tells where a page stands in all four ways of Relay', async () => {
    const newest = await list({ first: 2 });
    expect(newest.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: newest.edges[0]?.cursor,
      endCursor: newest.edges[1]?.cursor,
    });
    const rest = await list({ first: 2, after: newest.pageInfo.endCursor });
    const cursor = rest.edges[0]?.cursor;
    const behind = { hasNextPage: false, hasPreviousPage: true, startCursor: cursor, endCursor: cursor };
    expect([rest.edges.length, rest.pageInfo]).toEqual([1, behind]);
    const none = await list({ after: rest.pageInfo.endCursor });
    const empty = { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null };
    expect([none.edges, none.pageInfo]).toEqual([[], empty]);
  });

  it('goes on where a page ended, whatever came in at its front meanwhile', async () => {
    const newest = await list({ first: 2 });
    const before = await list({ first: 100, after: newest.pageInfo.endCursor });
    await buy();
    expect((await list({ first: 100, after: newest.pageInfo.endCursor })).edges).toEqual(before.edges);
    expect((await list({ first: 100 })).edges.slice(1)).toEqual([...newest.edges, ...before.edges]);
  });

  it.each(['calls', 'keys', 'purchases', 'statement', 'requests', 'refusals', 'accountEvents'])(
    'takes null for a length that is not said: %s',
    async (name) => {
      const asWell = await ask(`{ ${name} { edges { cursor } } }`);
      expect(await ask(`{ ${name}(first: null) { edges { cursor } } }`)).toEqual(asWell);
      const query = `query ($first: Int) { ${name}(first: $first) { edges { cursor } } }`;
      expect(await ask(query, { first: null })).toEqual(asWell);
    },
  );
});
