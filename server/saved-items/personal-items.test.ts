import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { itemsOfKindMax } from './personal-items.js';

const saveDocument = 'mutation ($input: PersonalItemInput!) { savePersonalItem(input: $input) { name } }';
const listDocument = 'query ($kind: PersonalItemKind!) { personalItems(kind: $kind) { name content savedAt } }';
const deleteDocument =
  'mutation ($kind: PersonalItemKind!, $name: String!) { deletePersonalItem(kind: $kind, name: $name) { name } }';

interface Kept {
  readonly name: string;
  readonly content: string;
}

describeOnEachDatabase('What a member keeps for themselves', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForEach();

  const conversation = (name: string, words = 'Why?') => {
    return { kind: 'CONVERSATION', name, content: JSON.stringify({ turns: [{ role: 'user', content: words }] }) };
  };
  const settings = { kind: 'PLAYGROUND_SETTINGS', name: 'settings', content: '{"model":"demo-small"}' };
  const save = async (input: object, { sessionToken }: TestAccount = account) =>
    (await app.graphql<{ savePersonalItem: Kept[] }>(saveDocument, { input }, sessionToken)).savePersonalItem;
  const list = async (kind = 'CONVERSATION', { sessionToken }: TestAccount = account) =>
    (await app.graphql<{ personalItems: Kept[] }>(listDocument, { kind }, sessionToken)).personalItems;
  const nameAll = (items: readonly Kept[]) => items.map(({ name }) => name);
  const countRows = async (where: string) =>
    Number((await app.query(`SELECT COUNT(*) AS items FROM personal_item WHERE ${where}`))[0]?.items);

  /** Makes `member` one of the account, with a session that acts for it. */
  async function join(role: string): Promise<TestAccount> {
    const member = await app.createAccount();
    await app.query(
      `INSERT INTO membership (account_id, person_id, role, created_at_ms) VALUES ('${account.accountId}', '${member.accountId}', '${role}', 1)`,
    );
    const change = 'mutation ($id: ID!) { switchAccount(accountId: $id) }';
    await app.graphql(change, { id: account.accountId }, member.sessionToken);
    return member;
  }

  it('is there until it is deleted, one of each kind and name', async () => {
    await save(settings);
    await save(conversation('talk-1', 'First'));
    expect(nameAll(await save(conversation('talk-1', 'Second')))).toEqual(['talk-1']);
    expect(JSON.parse((await list())[0]?.content ?? '')).toEqual({ turns: [{ role: 'user', content: 'Second' }] });
    await app.graphql(deleteDocument, { kind: 'CONVERSATION', name: 'talk-1' }, account.sessionToken);
    expect(await list()).toEqual([]);
    expect(nameAll(await list('PLAYGROUND_SETTINGS'))).toEqual(['settings']);
    const again = app.graphql(deleteDocument, { kind: 'CONVERSATION', name: 'talk-1' }, account.sessionToken);
    await expect(again).rejects.toThrow('You keep nothing of that name');
  });

  it('is read by nobody else, neither an owner of the account nor another account', async () => {
    const member = await join('developer');
    await save(conversation('theirs', 'A secret of the member'), member);
    await save(conversation('mine'));
    expect(nameAll(await list('CONVERSATION', member))).toEqual(['theirs']);
    expect(nameAll(await list())).toEqual(['mine']);
    expect(await list('CONVERSATION', await app.createAccount())).toEqual([]);
    const theirs = { kind: 'CONVERSATION', name: 'theirs' };
    await expect(app.graphql(deleteDocument, theirs, account.sessionToken)).rejects.toThrow('nothing of that name');
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const exported = await (await fetch(`${app.baseUrl}/export/account.json`, { headers })).text();
    expect(exported).not.toContain('A secret of the member');
    await expect(app.graphql(listDocument, { kind: 'CONVERSATION' }, account.secret)).rejects.toThrow('no API key');
  });

  it('goes with the membership, and a viewer may still delete it all', async () => {
    const member = await join('developer');
    await save(conversation('theirs'), member);
    await save(conversation('mine'));
    const viewer = await join('developer');
    await save(conversation('the viewer’s'), viewer);
    const lower = 'mutation ($id: ID!) { setMemberRole(input: { personId: $id, role: VIEWER }) { personId } }';
    await app.graphql(lower, { id: viewer.accountId }, account.sessionToken);
    await expect(save(conversation('another'), viewer)).rejects.toThrow('You need the role');
    await app.graphql('mutation { deletePersonalItems }', {}, viewer.sessionToken);
    expect(await list('CONVERSATION', viewer)).toEqual([]);
    const remove = 'mutation ($id: ID!) { removeMember(personId: $id) { personId } }';
    await app.graphql(remove, { id: member.accountId }, account.sessionToken);
    expect(await countRows(`person_id = '${member.accountId}'`)).toBe(0);
    expect(nameAll(await list())).toEqual(['mine']);
  });

  it('has a name, an object as its content, and an end to its size', async () => {
    const faults = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(61) }, 'name'],
      [{ content: '[]' }, 'JSON object'],
      [{ content: JSON.stringify({ turns: 'x'.repeat(60_000) }) }, '60000 bytes'],
      [{ content: JSON.stringify({ turns: '🚀'.repeat(15_000) }) }, '60000 bytes'],
    ] as const;
    for (const [more, words] of faults) {
      await expect(save({ ...conversation('Mine'), ...more })).rejects.toThrow(words);
    }
    expect(await list()).toEqual([]);
  });

  it('is 20 conversations and 500,000 bytes at most: the one saved longest ago makes room, and never the settings', async () => {
    await save(settings);
    for (let index = 0; index < itemsOfKindMax.conversation; index += 1)
      await save(conversation(`talk-${100 + index}`));
    await save(conversation('talk-100', 'Said again'));
    const names = nameAll(await save(conversation('talk-200')));
    expect(names).toHaveLength(itemsOfKindMax.conversation);
    expect(names).toContain('talk-100');
    expect(names).not.toContain('talk-101');
    for (let index = 0; index < 9; index += 1) await save(conversation(`large-${index}`, 'x'.repeat(59_000)));
    const large = (await list()).filter(({ name }) => name.startsWith('large'));
    expect(nameAll(large)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((index) => `large-${index}`));
    expect(nameAll(await list('PLAYGROUND_SETTINGS'))).toEqual(['settings']);
  });

  it('is in the export of the person, from every account, and goes with the person and with the account', async () => {
    await save(settings);
    const member = await join('developer');
    await save(conversation('in another account'), member);
    await app.graphql(
      'mutation ($id: ID!) { switchAccount(accountId: $id) }',
      { id: member.accountId },
      member.sessionToken,
    );
    await save(conversation('at home'), member);
    const headers = { authorization: `Bearer ${member.sessionToken}` };
    const answer = await fetch(`${app.baseUrl}/export/account.json`, { headers });
    const exported = (await answer.json()) as { personalItems: object[] };
    const kept = (accountId: string, name: string) => ({
      ...{ accountId, kind: 'conversation', name, savedAt: expect.any(String) },
      content: { turns: [{ role: 'user', content: 'Why?' }] },
    });
    expect(exported.personalItems).toHaveLength(2);
    expect(exported.personalItems).toEqual(
      expect.arrayContaining([kept(member.accountId, 'at home'), kept(account.accountId, 'in another account')]),
    );
    const deletion = 'mutation { deleteAccount(input: { password: "a long enough password" }) }';
    await app.graphql(deletion, {}, member.sessionToken);
    expect(await countRows(`person_id = '${member.accountId}'`)).toBe(0);
    expect(await countRows(`account_id = '${account.accountId}'`)).toBe(1);
    await app.graphql(deletion, {}, account.sessionToken);
    expect(await countRows(`account_id = '${account.accountId}'`)).toBe(0);
  });
});
