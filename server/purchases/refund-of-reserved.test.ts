import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

const ask = (content: string, more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content }],
  ...more,
});

describeOnEachDatabase('a refund of credits that running calls have reserved', (openTestDatabase) => {
  const { shop, account } = DoubleShop.forEach(openTestDatabase);
  let leaving: AbortController;

  beforeEach(async () => {
    leaving = new AbortController();
  });

  const graphql = <Data>(query: string) => shop.app.graphql<Data>(query, {}, account.sessionToken);
  const look = async () => {
    const wanted = '{ viewer { debt balance { available held } } }';
    const { viewer } = await graphql<{ viewer: { debt: number; balance: { available: number; held: number } } }>(
      wanted,
    );
    return [viewer.debt, viewer.balance.available, viewer.balance.held];
  };
  const readCredits = async () => {
    const headers = { authorization: `Bearer ${account.secret}` };
    return ((await (await fetch(`${shop.app.proxyUrl}/credits`, { headers })).json()) as { data: object }).data;
  };
  const refuse = async (content: string, more: object) => {
    const response = await shop.app.call(account.secret, ask(content, more));
    const { error } = (await response.json()) as { error: { message: string; code: string; metadata: object } };
    return { status: response.status, ...error };
  };
  const stall = () => {
    const body = JSON.stringify(ask('@@stall-mid', { stream: true }));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${account.secret}` };
    const { signal } = leaving;
    fetch(`${shop.app.proxyUrl}/chat/completions`, { method: 'POST', headers, body, signal }).catch(() => {});
  };

  it('tells nobody that credits are owed, on no page and by no answer, and asks to wait or to buy', async () => {
    const { sessionId } = await shop.buy(account, 5);
    await shop.app.setBalance(account.accountId, 100_000);
    for (let count = 0; count < 3; count += 1) stall();
    await eventually(() => shop.app.upstream.requests.length === 3);
    expect(await shop.deliver(shop.double.books.refund(sessionId, 9))).toBe(200);
    expect(await look()).toEqual([0, 0, 10]);
    expect(await readCredits()).toMatchObject({ total_credits: 10, available_credits: 0, reserved_credits: 10 });

    const wait = await refuse('hello', { max_tokens: 5 });
    expect(wait).toMatchObject({ status: 402, code: 'credits_reserved' });
    expect(wait.metadata).toMatchObject({ available_credits: 0, reserved_credits: 10 });
    const buy = await refuse('hello', { max_tokens: 12_000 });
    expect(buy).toMatchObject({ status: 402, code: 'insufficient_quota' });
    for (const { message, metadata } of [wait, buy]) {
      expect(message).not.toMatch(/\bowe/);
      expect(metadata).not.toHaveProperty('owed_credits');
    }
    leaving.abort();
    await shop.app.waitUntilSettled(account.accountId);
    const [debt, available] = await look();
    expect([debt, (available ?? 0) > 0]).toEqual([0, true]);
  });
});
