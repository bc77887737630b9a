import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

const on = { isOn: true, threshold: 4_999, dollars: 5, monthlyCapDollars: 500, hasConsent: true };
const setQuery = 'mutation ($input: AutoTopUpInput!) { setAutoTopUp(input: $input) { isOn dollars } }';
const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };

describeOnEachDatabase('A member who has saved their card and agreed', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const owner = app.accountForEach(5);
  const member = app.accountForEach(0);

  beforeEach(async () => {
    const row = `'${owner.accountId}', '${member.accountId}', 'billing', 1`;
    await app.query(`INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES (${row})`);
    await switchTo(owner);
    const { startCardSetup } = await ask<{ startCardSetup: { url: string } }>(
      member,
      'mutation { startCardSetup { url } }',
    );
    const id = new URL(startCardSetup.url).searchParams.get('card');
    await ask(member, 'mutation ($id: ID!) { confirmCardSetup(id: $id) { isOn } }', { id });
    await ask(member, setQuery, { input: on });
  });

  const ask = <Answer>({ sessionToken }: TestAccount, query: string, variables: object = {}) =>
    app.graphql<Answer>(query, variables, sessionToken);
  const switchTo = ({ accountId }: TestAccount) =>
    ask(member, 'mutation ($id: ID!) { switchAccount(accountId: $id) }', { id: accountId });
  const topUpOf = async (who: TestAccount, fields = 'isOn') =>
    (await ask<{ autoTopUp: object }>(who, `{ autoTopUp { ${fields} } }`)).autoTopUp;

  it.each([
    [
      'is removed',
      () => ask(owner, 'mutation ($id: ID!) { removeMember(personId: $id) { personId } }', { id: member.accountId }),
    ],
    ['leaves', () => ask(member, 'mutation { leaveAccount }')],
    [
      'is made a viewer',
      () =>
        ask(owner, 'mutation ($input: SetMemberRoleInput!) { setMemberRole(input: $input) { personId } }', {
          input: { personId: member.accountId, role: 'VIEWER' },
        }),
    ],
  ])(
    'and %s leaves no card behind: the top-up is off, no owner turns it on, and a call charges nobody',
    async (_, end) => {
      expect(await topUpOf(owner)).toEqual({ isOn: true });
      await end();
      expect(await topUpOf(owner, 'isOn card { last4 } failure')).toEqual({
        ...{ isOn: false, card: null, failure: 'payer_left' },
      });
      await expect(ask(owner, setQuery, { input: { ...on, dollars: 500, monthlyCapDollars: 5_000 } })).rejects.toThrow(
        'Save a card first',
      );
      expect((await app.call(owner.secret, call)).status).toBe(200);
      const isBooked = async () =>
        (await app.query(`SELECT call_id FROM call_record WHERE account_id = '${owner.accountId}'`)).length === 1;
      await eventually(isBooked);
      expect(
        await app.query(`SELECT purchase_id FROM auto_top_up_charge WHERE account_id = '${owner.accountId}'`),
      ).toEqual([]);
    },
  );

  it('is named to the owner, who turns it off and raises nothing on that card', async () => {
    const fields = 'isOn cardSavedBy isCardYours';
    const name = (await ask<{ person: { name: string } }>(member, '{ person { name } }')).person.name;
    expect(await topUpOf(owner, fields)).toEqual({ isOn: true, cardSavedBy: name, isCardYours: false });
    expect(await topUpOf(member, fields)).toEqual({ isOn: true, cardSavedBy: name, isCardYours: true });
    const raised = { ...on, dollars: 500, monthlyCapDollars: 5_000 };
    await expect(ask(owner, setQuery, { input: raised })).rejects.toThrow('another person’s');
    expect(await ask(owner, setQuery, { input: { isOn: false } })).toEqual({
      setAutoTopUp: { isOn: false, dollars: 5 },
    });
    await expect(ask(owner, setQuery, { input: on })).rejects.toThrow('another person’s');
    expect(await ask(member, setQuery, { input: on })).toEqual({ setAutoTopUp: { isOn: true, dollars: 5 } });
  });
});
