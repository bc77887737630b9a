import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

interface Item {
  readonly id: string;
  readonly type: string;
}
interface Answer {
  readonly status: number;
  readonly output: readonly Item[];
  readonly usage: { readonly total_tokens: number };
  readonly error: { readonly message: string; readonly param: string; readonly code: string };
}

const question = { role: 'user', content: 'Hi' };
const refer = ({ id }: Pick<Item, 'id'>) => ({ type: 'item_reference', id });

describeOnEachDatabase('References to the items of earlier answers', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '2' });
  const forgetful = TestApp.forAll(openTestDatabase, { RESPONSE_ITEMS_MINUTES: '0' });
  const account = app.accountForAll(50);

  const post = async (input: unknown, { secret = account.secret, at = app, ...more } = {}) => {
    const response = await at.call(secret, { model: 'gpt-4o-mini', input, ...more }, '/responses');
    return { response, read: async () => ({ ...((await response.json()) as Answer), status: response.status }) };
  };
  const ask = async (...asked: Parameters<typeof post>): Promise<Answer> => (await post(...asked)).read();
  const askItem = async (...asked: Parameters<typeof post>): Promise<Item> => (await ask(...asked)).output[0] as Item;
  const lastMessages = () => (app.upstream.requests.at(-1)?.body?.messages ?? []) as object[];
  const expectNotKept = ({ status, error }: Answer, param: string) => {
    expect({ status, param: error.param, code: error.code }).toEqual({ status: 400, param, code: 'invalid_value' });
    expect(error.message).toContain('`store: false`');
  };

  it('stand for what was said, plain and streamed, and each call is charged exactly', async () => {
    const before = await app.findWallet(account.accountId);
    const first = await ask([question]);
    const text = await (await post([question], { stream: true } as object)).response.text();
    const [, data = ''] = /event: response.completed\ndata: (.+)/.exec(text) ?? [];
    const second = (JSON.parse(data) as { response: Answer }).response;
    const items = [first.output[0], second.output[0]] as [Item, Item];
    const third = await ask([question, refer(items[0]), question, refer(items[1]), question]);
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Hello from upstream' }] };
    expect(lastMessages()).toEqual([question, said, question, said, question]);
    await app.waitUntilSettled(account.accountId);
    const after = await app.findWallet(account.accountId);
    const used = [first, second, third].reduce((sum, { usage }) => sum + usage.total_tokens, 0);
    expect(before.posted - after.posted).toBe(used);
  });

  it('stand for calls of tools, too', async () => {
    const { output } = await ask([{ role: 'user', content: '@@says=two-tools' }]);
    const calls = output as (Item & { call_id: string })[];
    expect(calls.map(({ type }) => type)).toEqual(['function_call', 'function_call']);
    const outputs = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'sun' }));
    const { status } = await ask([question, ...calls.map(refer), ...outputs]);
    expect(status).toBe(200);
    expect(lastMessages().map((message) => (message as { role: string }).role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
  });

  it('of another account, and of another key of the same account, are refused by name, and cost nothing', async () => {
    const item = await askItem([question]);
    const stranger = await app.createAccount(5);
    const { createApiKey } = await app.graphql<{ createApiKey: { secret: string } }>(
      'mutation { createApiKey(input: { name: "second" }) { secret } }',
      {},
      account.sessionToken,
    );
    await app.waitUntilSettled(account.accountId);
    const before = await app.findWallet(account.accountId);
    for (const secret of [stranger.secret, createApiKey.secret]) {
      expectNotKept(await ask([question, refer(item)], { secret }), 'input[1].id');
    }
    expect(await app.findWallet(account.accountId)).toEqual(before);
  });

  it('to what was never kept are refused by name: unknown ids, and answers to `store: false`', async () => {
    const item = await askItem([question], { store: false } as object);
    const unknown = { id: item.id.replace(/.{6}(?=\d$)/, 'ZZZZZZ') };
    for (const missing of [item, unknown, { id: 'msg_theirs' }, { id: 7 as unknown as string }]) {
      expectNotKept(await ask([question, refer(missing)]), 'input[1].id');
    }
    // It is not needed to go on.
    expect((await ask([question, refer({ id: 'rs_theirs' })])).status).toBe(200);
  });

  it('are read in a thread of its own where they stand for much, and refused beyond 8 MB', async () => {
    const item = await askItem([{ role: 'user', content: '@@words=20000' }], { max_output_tokens: 16_000 } as object);
    const { status } = await ask([question, ...Array.from({ length: 16 }, () => refer(item))]);
    expect(status).toBe(200);
    expect(JSON.stringify(lastMessages()).length).toBeGreaterThan(1024 * 1024);
    const { status: refused, error } = await ask([question, ...Array.from({ length: 200 }, () => refer(item))]);
    expect(refused).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_value', message: expect.stringContaining('more than 8 MB') });
  });

  it('are refused by name where the operator keeps nothing', async () => {
    const { secret } = await forgetful.createAccount(5);
    const item = await askItem([question], { secret, at: forgetful });
    expectNotKept(await ask([question, refer(item)], { secret, at: forgetful }), 'input[1].id');
  });
});
