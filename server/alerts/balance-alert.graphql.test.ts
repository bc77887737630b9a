import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('The low-balance alert in GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForEach(0);

  const whole = { threshold: 5, email: false, webhookUrl: 'https://example.com/hook', use: true };
  const set = async (input: object) => {
    const query = `mutation ($input: BalanceAlertInput!) { setBalanceAlert(input: $input) { threshold email webhookUrl use webhookSecret } }`;
    type Answer = { setBalanceAlert: typeof whole & { webhookSecret: string | null } };
    return (await app.graphql<Answer>(query, { input }, account.sessionToken)).setBalanceAlert;
  };

  it('keeps what a change leaves out, its secret as well, and takes away what null says', async () => {
    const first = await set(whole);
    expect(first).toMatchObject(whole);
    for (const change of [
      { threshold: 6 },
      { email: true },
      { use: false },
      { webhookUrl: 'https://example.com/2' },
      {},
    ]) {
      expect(await set(change)).toEqual({ ...first, ...change });
      await set(whole);
    }
    expect(await set({ threshold: null, email: null, use: null })).toEqual({ ...first, threshold: null });
    expect(await set({ webhookUrl: null })).toMatchObject({ webhookUrl: null, webhookSecret: null, use: true });
  });

  it('is by e-mail alone while nothing else was ever said', async () => {
    const byEmail = { email: true, webhookUrl: null, use: false, webhookSecret: null };
    expect(await set({ threshold: 5 })).toEqual({ threshold: 5, ...byEmail });
  });
});
