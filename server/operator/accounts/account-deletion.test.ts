import { reasonOf } from '../../test/cookie-browser.js';
import type { TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';

describeOnEachDatabase('Accounts that operators delete', (openTestDatabase) => {
  let of: FactorApp;
  let beside: TestApp;
  let owner: TestOperator;

  beforeAll(async () => {
    of = await FactorApp.start(await openTestDatabase());
    beside = await of.startBeside();
    owner = await TestOperator.join(of, 'owner');
  }, 60_000);
  beforeEach(() => owner.prove());
  afterAll(async () => {
    if (beside !== of.app) await beside.close();
    await of.close();
  });

  const read = async ({ accountId }: TestAccount) =>
    (await of.app.query(`SELECT email, name, closed_at_ms FROM account WHERE id = '${accountId}'`))[0];
  const remove = async (account: TestAccount, more: object = {}, by = owner) => {
    const known = {
      accountId: account.accountId,
      email: String((await read(account))?.email),
      reason: 'As they asked',
    };
    return reasonOf(await by.change('deleteAccount(input: $deletion)', { deletion: { ...known, ...more } }));
  };
  const call = async (app: TestApp, { secret }: TestAccount) => {
    const answer = await app.call(secret, { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] });
    await answer.text();
    return answer.status;
  };

  it('are gone on every server when it is answered, and the books add up with what was left', async () => {
    const account = await of.app.createAccount(5);
    expect([await call(of.app, account), await call(beside, account)]).toEqual([200, 200]);
    await of.app.waitUntilSettled(account.accountId);
    const { posted } = await of.app.findWallet(account.accountId);
    expect(await remove(account, { forfeitsCredits: true })).toBe('done');
    expect([await call(of.app, account), await call(beside, account)]).toEqual([401, 401]);
    expect(await read(account)).toMatchObject({ email: '', name: 'Deleted account', closed_at_ms: expect.anything() });
    expect((await of.app.findWallet(account.accountId)).posted).toBe(posted);
    await expect(of.app.graphql('{ viewer { id } }', {}, account.sessionToken)).rejects.toThrow('UNAUTHENTICATED');
    const log = `SELECT action, reason FROM operator_event WHERE account_id = '${account.accountId}'`;
    expect(await of.app.query(log)).toEqual([{ action: 'delete_account', reason: 'As they asked' }]);
    expect(await remove(account, { email: 'anybody@example.com' })).toBe('not_found');
  });

  it('are those that were meant, and lose no credits unless somebody says so', async () => {
    const account = await of.app.createAccount(5);
    const support = await TestOperator.join(of, 'support');
    expect(await remove(account, { email: 'person-0@example.com' })).toBe('invalid_value');
    expect(await remove(account)).toBe('invalid_value');
    expect(await remove(account, { forfeitsCredits: true, reason: ' ' })).toBe('invalid_value');
    expect(await remove(account, { forfeitsCredits: true }, support)).not.toBe('done');
    expect([await call(of.app, account), (await read(account))?.closed_at_ms]).toEqual([200, null]);
    const empty = await of.app.createAccount(0);
    expect(await remove(empty)).toBe('done');
  });

  it('lose no credits that a running call has reserved either, unless somebody says so', async () => {
    const account = await of.app.createAccount(5);
    await of.app.setBalance(account.accountId, 10_000);
    const asked = of.app.upstream.requests.length;
    const messages = [{ role: 'user', content: '@@stall-mid' }];
    const leaving = of.app.callToLeave(account.secret, { model: 'gpt-4o-mini', messages, stream: true });
    await eventually(() => of.app.upstream.requests.length > asked);
    expect(await of.app.findWallet(account.accountId)).toEqual({ posted: 10_000, pending: 10_000 });
    expect(await remove(account)).toBe('invalid_value');
    leaving.abort();
    await of.app.waitUntilSettled(account.accountId);
  });
});
