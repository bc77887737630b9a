import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { postGraphql } from '../test/post-graphql.js';
import { findKeyId } from '../test/test-keys.js';

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers of three mutations, which fail a test where they are not as expected.
  readonly data: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

const create = `mutation ($input: ApiKeyInput!, $key: String) {
  answer: createApiKey(input: $input, idempotencyKey: $key) { secret apiKey { id name maskedSecret } } }`;
const rotate = `mutation ($id: ID!, $graceSeconds: Int, $key: String) {
  answer: rotateApiKey(id: $id, graceSeconds: $graceSeconds, idempotencyKey: $key) { secret apiKey { id maskedSecret } } }`;
const buy = `mutation ($input: StartCheckoutInput!, $key: String) {
  answer: startCheckout(input: $input, idempotencyKey: $key) { url purchase { id status dollars } } }`;

describeOnEachDatabase('a change with an idempotency key', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '1000' });
  const account = app.accountForEach(0);
  let token: string;
  beforeEach(async () => {
    token = account.sessionToken;
  });

  async function ask(query: string, variables: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await postGraphql(
      app.baseUrl,
      { query, variables },
      { authorization: `Bearer ${token}`, ...headers },
    );
    return (await response.json()) as Answer;
  }
  const countKeys = async () =>
    (await app.query(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`)).length;
  const age = (ms: number) =>
    app.query(
      `UPDATE idempotent_answer SET created_at_ms = created_at_ms - ${ms} WHERE account_id = '${account.accountId}'`,
    );
  const signInAgain = async () => {
    const [row] = await app.query(`SELECT email FROM account WHERE id = '${account.accountId}'`);
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { sessionToken } }';
    const input = { email: row?.email, password: 'a long enough password' };
    return (await app.graphql<{ signIn: { sessionToken: string } }>(signIn, { input })).signIn.sessionToken;
  };
  const refusalOf = ({ errors }: Answer) => errors?.[0]?.extensions;

  it.each([
    ['by argument', { key: 'k-1' }, {}],
    ['by header', {}, { 'idempotency-key': 'k-1' }],
    ['by both', { key: 'k-1' }, { 'idempotency-key': 'k-1' }],
  ])('makes one key, whose secret is told again to whoever asks again %s', async (_, variables, headers) => {
    const input = { name: 'mine', scopes: ['CHAT'], models: null };
    const first = await ask(create, { input, ...variables }, headers);
    const again = await ask(create, { input: { models: null, scopes: ['CHAT'], name: 'mine' }, ...variables }, headers);
    expect(first.data.answer.secret).toMatch(/^sk-tg-/);
    expect(again).toEqual(first);
    expect(await countKeys()).toBe(2);
    const answer = await app.call(again.data.answer.secret, 'no JSON');
    expect(answer.status).toBe(400);
    await answer.text();
  });

  it('makes one key of twenty requests at once, and tells all of them the same', async () => {
    const asked = Array.from({ length: 20 }, () => ask(create, { input: { name: 'many' }, key: 'k-many' }));
    const answers = await Promise.all(asked);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.data.answer.apiKey.name).toBe('many');
    expect(await countKeys()).toBe(2);
  });

  it('lays no secret on the disk that could be read there', async () => {
    const { data } = await ask(create, { input: { name: 'sealed' }, key: 'k-sealed' });
    const rows = await app.query('SELECT * FROM idempotent_answer');
    const tables = JSON.stringify([rows, await app.query('SELECT * FROM api_key')]);
    expect(rows.length).toBeGreaterThan(0);
    const middle = data.answer.secret.slice(12, 30);
    expect(tables).not.toContain(middle);
    for (const row of rows) {
      expect(Buffer.from(String(row.answer), 'base64url').toString('latin1')).not.toContain(middle);
    }
    expect(app.logLines.join('')).not.toContain(middle);
  });

  it('tells the secret to no other session and no later than 15 minutes, and names the key to rotate', async () => {
    const input = { name: 'kept to itself' };
    const { data } = await ask(create, { input, key: 'k-own' });
    const apiKeyId = data.answer.apiKey.id;
    const refusal = { code: 'CONFLICT', reason: 'conflict', field: 'idempotencyKey', apiKeyId };
    const own = token;
    token = await signInAgain();
    const elsewhere = await ask(create, { input, key: 'k-own' });
    expect(refusalOf(elsewhere)).toEqual(refusal);
    expect(elsewhere.errors?.[0]?.message).toContain(`Rotate ${apiKeyId}`);
    token = own;
    expect((await ask(create, { input, key: 'k-own' })).data).toEqual(data);
    await age(15 * 60_000);
    expect(refusalOf(await ask(create, { input, key: 'k-own' }))).toEqual(refusal);
    expect(await countKeys()).toBe(2);
  });

  it('is known for as long as its row is there, whatever the wall clock says: it is set forward, and nothing is made twice', async () => {
    const purchase = await ask(buy, { input: { dollars: 10 }, key: 'k-buy' });
    const input = { name: 'once' };
    const { data } = await ask(create, { input, key: 'k-once' });
    await age(400 * 24 * 60 * 60_000);
    expect((await ask(buy, { input: { dollars: 10 }, key: 'k-buy' })).data.answer.purchase.id).toBe(
      purchase.data.answer.purchase.id,
    );
    expect(refusalOf(await ask(create, { input, key: 'k-once' }))).toMatchObject({
      apiKeyId: data.answer.apiKey.id,
    });
  });

  it('rotates once: the secret that was lost is told again, and the old one keeps its grace', async () => {
    const id = await findKeyId(app, account);
    const first = await ask(rotate, { id, key: 'k-rotate' });
    expect(await ask(rotate, { id, key: 'k-rotate' })).toEqual(first);
    // A second rotation would have ended it.
    for (const secret of [account.secret, first.data.answer.secret]) {
      const answer = await app.call(secret, 'no JSON');
      expect(answer.status).toBe(400);
      await answer.text();
    }
    const other = await ask(rotate, { id, graceSeconds: 5, key: 'k-rotate' });
    expect(refusalOf(other)).toMatchObject({ code: 'CONFLICT', reason: 'idempotency_key_reused' });
  });

  it('shows no secret again that is dead by then: the key was rotated since, or revoked', async () => {
    const made = await ask(create, { input: { name: 'mine' }, key: 'k-made' });
    const { id } = made.data.answer.apiKey;
    const rotated = await ask(rotate, { id, graceSeconds: 0, key: 'k-first' });
    const refusal = { code: 'CONFLICT', reason: 'conflict', field: 'idempotencyKey', apiKeyId: id };
    expect(refusalOf(await ask(create, { input: { name: 'mine' }, key: 'k-made' }))).toEqual(refusal);
    expect(await ask(rotate, { id, graceSeconds: 0, key: 'k-first' })).toEqual(rotated);
    const last = await ask(rotate, { id, graceSeconds: 0, key: 'k-second' });
    const late = await ask(rotate, { id, graceSeconds: 0, key: 'k-first' });
    expect(refusalOf(late)).toEqual(refusal);
    expect(late.errors?.[0]?.message).toContain(`Rotate ${id}`);
    expect(await ask(rotate, { id, graceSeconds: 0, key: 'k-second' })).toEqual(last);
    await app.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id }, token);
    const revoked = await ask(rotate, { id, graceSeconds: 0, key: 'k-second' });
    expect(refusalOf(revoked)).toEqual(refusal);
    expect(revoked.errors?.[0]?.message).toContain('is revoked');
  });

  it('is repeated by a key that may manage keys, and refused to it once that is no longer so', async () => {
    const manager = await ask(create, { input: { name: 'manager', scopes: ['KEYS_WRITE', 'CHAT'] } });
    token = manager.data.answer.secret;
    const first = await ask(create, { input: { name: 'child', scopes: ['CHAT'] }, key: 'k-child' });
    expect(await ask(create, { input: { name: 'child', scopes: ['CHAT'] }, key: 'k-child' })).toEqual(first);
    const scopes = { id: manager.data.answer.apiKey.id };
    const narrow = 'mutation ($id: ID!) { updateApiKey(id: $id, input: { name: "m", scopes: [KEYS_WRITE] }) { id } }';
    await app.graphql(narrow, scopes, account.sessionToken);
    const refused = await ask(create, { input: { name: 'child', scopes: ['CHAT'] }, key: 'k-child' });
    expect(refusalOf(refused)).toMatchObject({ code: 'FORBIDDEN', reason: 'beyond_own_permissions' });
  });

  it('begins one purchase, and answers it as it stands by then', async () => {
    const asked = Array.from({ length: 5 }, () => ask(buy, { input: { dollars: 5 }, key: 'k-buy' }));
    const answers = await Promise.all(asked);
    const [first] = answers as [Answer];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(first.data.answer).toMatchObject({ url: expect.any(String), purchase: { status: 'PENDING', dollars: 5 } });
    const { id } = first.data.answer.purchase;
    await fetch(`${app.baseUrl}/checkout/simulated/${id}/pay`, { method: 'POST', redirect: 'manual' });
    const paid = await ask(buy, { input: { dollars: 5 }, key: 'k-buy' });
    expect(paid.data.answer).toMatchObject({ url: first.data.answer.url, purchase: { id, status: 'PAID' } });
    const other = await ask(buy, { input: { packId: 'pack-5' }, key: 'k-buy' });
    expect(refusalOf(other)).toMatchObject({ reason: 'idempotency_key_reused', field: 'idempotencyKey' });
    expect(await app.query(`SELECT id FROM purchase WHERE account_id = '${account.accountId}'`)).toHaveLength(1);
  });

  it('goes on with the purchase whose page was not opened when the server died', async () => {
    const first = await ask(buy, { input: { dollars: 7 }, key: 'k-died' });
    const { id } = first.data.answer.purchase;
    await app.query(`UPDATE purchase SET checkout_url = NULL, gateway_session_id = NULL WHERE id = '${id}'`);
    expect(await ask(buy, { input: { dollars: 7 }, key: 'k-died' })).toEqual(first);
  });

  it('is refused by name for other input, another change, a key that is none, and two that differ', async () => {
    await ask(create, { input: { name: 'first' }, key: 'k-used' });
    const reused = { code: 'CONFLICT', reason: 'idempotency_key_reused', field: 'idempotencyKey' };
    expect(refusalOf(await ask(create, { input: { name: 'second' }, key: 'k-used' }))).toEqual(reused);
    expect(refusalOf(await ask(buy, { input: { dollars: 5 }, key: 'k-used' }))).toEqual(reused);
    const fault = { code: 'BAD_USER_INPUT', field: 'idempotencyKey' };
    for (const key of ['', 'caf\u00e9', 'x'.repeat(256), 'a\nb']) {
      expect(refusalOf(await ask(create, { input: { name: 'k' }, key }))).toMatchObject(fault);
      expect(refusalOf(await ask(buy, { input: { dollars: 5 }, key }))).toMatchObject(fault);
    }
    const differing = await ask(create, { input: { name: 'k' }, key: 'one' }, { 'idempotency-key': 'two' });
    expect(refusalOf(differing)).toMatchObject(fault);
    expect(await countKeys()).toBe(2);
  });

  it('is another change of another account', async () => {
    const mine = await ask(create, { input: { name: 'k' }, key: 'k-shared' });
    token = (await app.createAccount(0)).sessionToken;
    const theirs = await ask(create, { input: { name: 'k' }, key: 'k-shared' });
    expect(theirs.data.answer.apiKey.id).not.toBe(mine.data.answer.apiKey.id);
  });

  it('that was refused may be asked for again', async () => {
    const bad = await ask(create, { input: { name: 'k', models: ['no-such-model'] }, key: 'k-fault' });
    expect(refusalOf(bad)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'models' });
    expect((await ask(create, { input: { name: 'k' }, key: 'k-fault' })).data.answer.secret).toMatch(/^sk-tg-/);
  });
});
