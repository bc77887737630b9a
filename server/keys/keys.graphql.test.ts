import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

interface KeyPage {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string; readonly name: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

describeOnEachDatabase('the keys of an account in GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '10' });
  const account = app.accountForAll(0);
  const ids = new Map<string, string>();
  const ask = <Data>(query: string, variables: object = {}) =>
    app.graphql<Data>(query, variables, account.sessionToken);

  beforeAll(async () => {
    const create = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { apiKey { id } } }';
    for (const name of ['one', 'two', 'three', 'four']) {
      const { createApiKey } = await ask<{ createApiKey: { apiKey: { id: string } } }>(create, { name });
      ids.set(name, createApiKey.apiKey.id);
    }
    await ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: ids.get('two') });
  });

  async function readAll(args: string): Promise<string[]> {
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const query = `query ($after: String) { keys(first: 2, after: $after ${args}) { edges { cursor node { id name } } pageInfo { hasNextPage endCursor } } }`;
      const { keys }: { keys: KeyPage } = await ask(query, { after });
      expect(keys.edges.length).toBeLessThanOrEqual(2);
      names.push(...keys.edges.map(({ node }) => node.name));
      if (!keys.pageInfo.hasNextPage) return names;
      after = keys.pageInfo.endCursor;
    }
  }

  it('are listed page by page, newest first, revoked ones only when asked for', async () => {
    expect(await readAll('')).toEqual(['four', 'three', 'one', 'test']);
    expect(await readAll('includeRevoked: false')).toEqual(['four', 'three', 'one', 'test']);
    expect(await readAll('includeRevoked: true')).toEqual(['four', 'three', 'two', 'one', 'test']);
    const { apiKeys } = await ask<{ apiKeys: unknown[] }>('{ apiKeys { id } }');
    expect(apiKeys).toHaveLength(5);
  });

  it('are found one by one, by their owner alone', async () => {
    const find = 'query ($id: ID!) { apiKey(id: $id) { name revokedAt spentInPeriod } }';
    expect(await ask(find, { id: ids.get('one') })).toEqual({
      apiKey: { name: 'one', revokedAt: null, spentInPeriod: 0 },
    });
    expect(await ask(find, { id: ids.get('two') })).toMatchObject({ apiKey: { revokedAt: expect.any(String) } });
    const stranger = await app.createAccount(0);
    for (const id of [ids.get('one'), 'nonsense']) {
      expect(await app.graphql(find, { id }, stranger.sessionToken)).toEqual({ apiKey: null });
    }
  });

  it('have a name that can be read, and turns nothing around', async () => {
    const rename = 'mutation ($id: ID!, $name: String!) { updateApiKey(id: $id, input: { name: $name }) { name } }';
    const id = ids.get('three');
    for (const character of ['\u202e', '\u2066', '\u200b', '\n']) {
      await expect(ask(rename, { id, name: `prod${character}yek` })).rejects.toThrow(/printable characters/);
    }
    expect(await ask(rename, { id, name: 'three' })).toEqual({ updateApiKey: { name: 'three' } });
  });

  it('have a name of which something is seen', async () => {
    const create = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { secret } }';
    for (const name of ['\u3164', '\u200d', '\u2800', ' \u115f ']) {
      await expect(ask(create, { name })).rejects.toThrow(/at least one of them visible/);
    }
  });

  it('keep their name when a change leaves it out, and are not made without one', async () => {
    const update =
      'mutation ($id: ID!, $input: ApiKeyInput!) { updateApiKey(id: $id, input: $input) { name addresses } }';
    const id = ids.get('three');
    const addresses = ['192.0.2.7'];
    expect(await ask(update, { id, input: { addresses } })).toEqual({ updateApiKey: { name: 'three', addresses } });
    expect(await ask(update, { id, input: { name: 'third' } })).toEqual({ updateApiKey: { name: 'third', addresses } });
    await ask(update, { id, input: { name: 'three' } });
    await expect(ask('mutation { createApiKey(input: {}) { secret } }')).rejects.toThrow('"field":"name"');
  });
});
