import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventuallyFind } from '../../test/eventually.js';

interface Refusal {
  readonly id: string;
  readonly status: number;
  readonly code: string;
  readonly model: string | null;
  readonly times: number;
  readonly apiKey: { readonly name: string } | null;
}

describeOnEachDatabase('A refused request', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const poor = app.accountForAll(0);
  const rich = app.accountForAll(5);

  const ask = (model: string, content = 'my private prompt') => ({ model, messages: [{ role: 'user', content }] });

  async function list({ sessionToken }: TestAccount): Promise<Refusal[]> {
    const fields = 'id status code model times apiKey { name }';
    const { refusals } = await app.graphql<{ refusals: { edges: { node: Refusal }[] } }>(
      `{ refusals(first: 100) { edges { node { ${fields} } } } }`,
      {},
      sessionToken,
    );
    return refusals.edges.map(({ node }) => node);
  }

  // They are written some seconds later; the test's own time limit ends the wait.
  function waitFor(account: TestAccount, count: number): Promise<Refusal[]> {
    return eventuallyFind(async () => {
      const found = await list(account);
      return found.length >= count ? found : null;
    }, 100);
  }

  it('is shown to its account with its cause, and nothing of its body is kept', async () => {
    const refused = await app.call(poor.secret, ask('gpt-4o-mini'));
    expect(refused.status).toBe(402);
    await app.call(poor.secret, ask('no-such-model'));
    await app.call(poor.secret, '{"messages": "my private prompt"');
    const found = await waitFor(poor, 3);
    expect(found.map(({ status, code, model }) => [status, code, model])).toEqual(
      expect.arrayContaining([
        [402, 'insufficient_quota', 'gpt-4o-mini'],
        [404, 'model_not_found', 'no-such-model'],
        [400, 'invalid_json', null],
      ]),
    );
    expect(found.map(({ id }) => id)).toContain(refused.headers.get('x-request-id'));
    expect(found[0]?.apiKey?.name).toBe('test');
    expect(JSON.stringify(await app.query('SELECT * FROM refusal'))).not.toContain('private');
    expect(await list(rich)).toEqual([]);
  });

  it('is not listed where a receipt tells of it', async () => {
    expect((await app.call(rich.secret, ask('gpt-4o-mini', '@@status=500'))).status).toBe(502);
    await app.call(rich.secret, ask('no-such-model'));
    expect((await waitFor(rich, 1)).map(({ status }) => status)).toEqual([404]);
  });

  it('goes with the account', async () => {
    const password = 'a long enough password';
    await app.graphql(
      'mutation ($password: String!) { deleteAccount(input: { password: $password }) }',
      { password },
      poor.sessionToken,
    );
    expect(await app.query(`SELECT id FROM refusal WHERE account_id = '${poor.accountId}'`)).toEqual([]);
  });
});
