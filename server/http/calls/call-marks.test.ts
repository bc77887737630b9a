import { TestApp } from '../../test/create-test-app.js';
import { readCsvRows } from '../../test/csv-rows.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const model = 'gpt-4o-mini';
const messages = [{ role: 'user', content: 'Hi' }];

interface Sums {
  readonly calls: number;
  readonly charged: number;
}

describeOnEachDatabase('Marks of calls', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(50);

  const send = (body: object, { path = '/chat/completions', tag = '' } = {}) =>
    fetch(`${app.proxyUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.secret}`,
        'content-type': 'application/json',
        ...(tag && { 'x-tollgate-tag': tag }),
      },
      body: JSON.stringify({ model, ...body }),
    });
  const findReceipt = async (response: Response) => {
    await response.text();
    const id = response.headers.get('x-request-id');
    await app.waitUntilSettled(account.accountId);
    const headers = { authorization: `Bearer ${account.secret}` };
    const receipt = await (await fetch(`${app.proxyUrl}/calls/${id}`, { headers })).json();
    return receipt as { id: string; tag: string | null; end_user: string | null; credits_charged: number };
  };
  const ask = <Data>(query: string, variables: object = {}) =>
    app.graphql<Data>(query, variables, account.sessionToken);

  it.each([
    ['chat', '/chat/completions', { messages, user: 'u-1', metadata: { tag: 'a:b' } }],
    ['a stream', '/chat/completions', { messages, user: 'u-1', metadata: { tag: 'a:b' }, stream: true }],
    ['Responses', '/responses', { input: 'Hi', safety_identifier: 'u-1', metadata: { tag: 'a:b' } }],
    ['Messages', '/messages', { messages, max_tokens: 10, metadata: { user_id: 'u-1', tag: 'a:b' } }],
    ['completions', '/completions', { prompt: 'Hi', user: 'u-1', metadata: { tag: 'a:b' } }],
    [
      'embeddings',
      '/embeddings',
      { model: 'text-embedding-3-small', input: 'Hi', user: 'u-1', metadata: { tag: 'a:b' } },
    ],
  ])('of the body of %s stand on the receipt, and reach no provider', async (_, path, body) => {
    const response = await send(body, { path });
    expect(response.status).toBe(200);
    expect(await findReceipt(response)).toMatchObject({ tag: 'a:b', end_user: 'u-1' });
    expect(app.upstream.requests.at(-1)?.text).not.toMatch(/a:b|u-1/);
  });

  it('of the header stand above those of the body; without any the receipt has none', async () => {
    const both = await send({ messages, metadata: { tag: 'inner' } }, { tag: 'outer' });
    expect(await findReceipt(both)).toMatchObject({ tag: 'outer', end_user: null });
    expect(await findReceipt(await send({ messages }))).toMatchObject({ tag: null, end_user: null });
    const address = await send({ messages, user: 'person@example.com' });
    expect(await findReceipt(address)).toMatchObject({ tag: null, end_user: null });
  });

  it.each([
    ['in the header', { tag: 'two words' }, {}, 'x-tollgate-tag'],
    ['that are too long', { tag: 'x'.repeat(65) }, {}, 'x-tollgate-tag'],
    ['in the body', {}, { metadata: { tag: 'ä' } }, 'metadata.tag'],
    ['that are no text', {}, { metadata: { tag: 7 } }, 'metadata.tag'],
  ])('%s that are none are refused by name, before anything is sent', async (_, options, more, param) => {
    const sent = app.upstream.requests.length;
    const response = await send({ messages, ...more }, options);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_value', param } });
    expect(app.upstream.requests.length).toBe(sent);
  });

  it('find calls again in the list and the export', async () => {
    const { id } = await findReceipt(await send({ messages, user: 'finder' }, { tag: 'find.me' }));
    await findReceipt(await send({ messages }, { tag: 'other' }));
    const query =
      'query ($filter: CallFilter) { calls(first: 10, filter: $filter) { edges { node { id tag endUser } } } }';
    for (const filter of [{ tag: 'find.me' }, { endUser: 'finder' }]) {
      const { calls } = await ask<{ calls: { edges: object[] } }>(query, { filter });
      expect(calls.edges).toEqual([{ node: { id, tag: 'find.me', endUser: 'finder' } }]);
    }
    const csv = await fetch(`${app.baseUrl}/export/calls.csv?tag=find.me`, {
      headers: { authorization: `Bearer ${account.sessionToken}` },
    });
    const marks = readCsvRows(await csv.text()).map((row) => [row.id, row.tag, row.end_user]);
    expect(marks).toEqual([[id, 'find.me', 'finder']]);
  });

  it('divide and narrow the report of use, whose sums are those of the receipts', async () => {
    const receipts = [
      await findReceipt(await send({ messages }, { tag: 'sum-1' })),
      await findReceipt(await send({ messages }, { tag: 'sum-1' })),
      await findReceipt(await send({ messages, model: 'gpt-4o' }, { tag: 'sum-2' })),
      await findReceipt(await send({ messages: [{ role: 'user', content: '@@status=500' }] }, { tag: 'sum-2' })),
    ];
    const chargeOf = (tag: string) =>
      receipts.filter((receipt) => receipt.tag === tag).reduce((sum, receipt) => sum + receipt.credits_charged, 0);
    const query = `query ($input: UsageInput!) { usage(input: $input) {
      total { calls charged } groups { key tag model sums { calls failedCalls charged } } } }`;
    const span = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
      bucket: 'HOUR',
    };
    interface Report {
      readonly usage: {
        readonly total: Sums;
        readonly groups: readonly { key: string; tag: string; sums: Sums & { failedCalls: number } }[];
      };
    }
    const { usage } = await ask<Report>(query, { input: { ...span, groupBy: ['TAG'] } });
    const plain = await ask<Report>(query, { input: { ...span, groupBy: ['NONE'] } });
    expect(usage.total).toEqual(plain.usage.total);
    const groupOf = (tag: string) => usage.groups.find((group) => group.tag === tag)?.sums;
    expect(groupOf('sum-1')).toEqual({ calls: 2, failedCalls: 0, charged: chargeOf('sum-1') });
    expect(groupOf('sum-2')).toEqual({ calls: 2, failedCalls: 1, charged: chargeOf('sum-2') });
    expect(groupOf('')?.calls).toBeGreaterThan(0);

    const narrowed = await ask<Report>(query, {
      input: { ...span, groupBy: ['MODEL', 'TAG'], filter: { tags: ['sum-2'], models: ['gpt-4o'] } },
    });
    expect(narrowed.usage.groups).toMatchObject([{ key: 'gpt-4o / sum-2', tag: 'sum-2', sums: { calls: 1 } }]);
    expect(narrowed.usage.total.charged).toBe(chargeOf('sum-2'));
  });
});
