import { tryAtOnce } from '../test/at-once.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

const saveDocument = 'mutation ($input: SavedItemInput!) { saveItem(input: $input) { name content savedAt } }';
const listDocument = 'query ($kind: SavedItemKind!) { savedItems(kind: $kind) { name content } }';
const deleteDocument =
  'mutation ($kind: SavedItemKind!, $name: String!) { deleteSavedItem(kind: $kind, name: $name) { name } }';

interface Saved {
  readonly name: string;
  readonly content: string;
}

describeOnEachDatabase('What an account saves', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForEach();

  const prompt = (name: string, question = 'Why?') => {
    return { kind: 'PROMPT', name, content: JSON.stringify({ system: '', question }) };
  };
  const save = async (input: object) =>
    (await app.graphql<{ saveItem: Saved[] }>(saveDocument, { input }, account.sessionToken)).saveItem;
  const list = async (kind: string, { sessionToken }: TestAccount = account) =>
    (await app.graphql<{ savedItems: Saved[] }>(listDocument, { kind }, sessionToken)).savedItems;
  const nameAll = (items: readonly Saved[]) => items.map(({ name }) => name);

  it('is there for its members until it is deleted, one of each kind and name', async () => {
    await save(prompt('Ünïcödé 🚀', 'First'));
    expect(nameAll(await save(prompt(' Ünïcödé 🚀 ', 'Second')))).toEqual(['Ünïcödé 🚀']);
    await save(prompt('ünïcödé 🚀'));
    await save({ kind: 'EXPLORE_VIEW', name: 'Ünïcödé 🚀', content: '{"search":"metric=cost"}' });
    expect(nameAll(await list('PROMPT')).sort()).toEqual(['Ünïcödé 🚀', 'ünïcödé 🚀'].sort());
    expect((await list('PROMPT')).map(({ content }) => JSON.parse(content).question)).toContain('Second');
    await app.graphql(deleteDocument, { kind: 'PROMPT', name: 'Ünïcödé 🚀' }, account.sessionToken);
    expect(nameAll(await list('PROMPT'))).toEqual(['ünïcödé 🚀']);
    expect(nameAll(await list('EXPLORE_VIEW'))).toEqual(['Ünïcödé 🚀']);
    await expect(
      app.graphql(deleteDocument, { kind: 'PROMPT', name: 'Ünïcödé 🚀' }, account.sessionToken),
    ).rejects.toThrow('Nothing of that name is saved');
  });

  it('is nothing to other accounts', async () => {
    await save(prompt('Ours'));
    const other = await app.createAccount();
    expect(await list('PROMPT', other)).toEqual([]);
    const theirs = { kind: 'PROMPT', name: 'Ours' };
    await expect(app.graphql(deleteDocument, theirs, other.sessionToken)).rejects.toThrow('Nothing of that name');
    expect(nameAll(await list('PROMPT'))).toEqual(['Ours']);
  });

  it('has a name, an object as its content, and an end to its size', async () => {
    const faults = [
      [{ name: ' ' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 'x'.repeat(61) }, 'name'],
      [{ name: '🚀'.repeat(61) }, 'name'],
      [{ content: 'not JSON' }, 'JSON object'],
      [{ content: '3' }, 'JSON object'],
      [{ content: '[]' }, 'JSON object'],
      [{ content: 'null' }, 'JSON object'],
      [{ content: JSON.stringify({ question: 'x'.repeat(60_000) }) }, '60000 bytes'],
      [{ content: JSON.stringify({ question: '🚀'.repeat(15_000) }) }, '60000 bytes'],
    ] as const;
    for (const [more, words] of faults) await expect(save({ ...prompt('Mine'), ...more })).rejects.toThrow(words);
    expect(await list('PROMPT')).toEqual([]);
  });

  it('has a name of up to 60 characters, of which an emoji or a rare ideograph is one', async () => {
    const name = '🚀𠮷'.repeat(30);
    expect(nameAll(await save(prompt(name)))).toEqual([name]);
  });

  it('is 50 of a kind at most, and 500,000 bytes in all; what is there may still be replaced', async () => {
    for (let index = 0; index < 50; index += 1) await save(prompt(`Prompt ${index}`));
    await expect(save(prompt('One more'))).rejects.toThrow('up to 50 of these');
    expect(await save(prompt('Prompt 7', 'Changed'))).toHaveLength(50);
    const large = (index: number) => save({ ...prompt(`Prompt ${index}`, 'x'.repeat(59_000)) });
    for (let index = 0; index < 8; index += 1) await large(index);
    await expect(large(8)).rejects.toThrow('500000 bytes');
    await save({ kind: 'EXPLORE_VIEW', name: 'Small', content: '{"search":"metric=cost"}' });
  });

  it('is 50 of a kind at most, however many are saved at once', async () => {
    for (let index = 0; index < 48; index += 1) await save(prompt(`Prompt ${index}`));
    const { done } = await tryAtOnce(10, (n) => save(prompt(`At once ${n}`)));
    expect([done, (await list('PROMPT')).length]).toEqual([2, 50]);
  });

  it('is in the export of the account, and goes with it', async () => {
    await save(prompt('Mine', 'Where?'));
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const answer = await fetch(`${app.baseUrl}/export/account.json`, { headers });
    const exported = (await answer.json()) as { savedItems: object[] };
    expect(exported.savedItems).toEqual([
      { kind: 'prompt', name: 'Mine', content: { system: '', question: 'Where?' }, savedAt: expect.any(String) },
    ]);
    const count = async () => {
      const where = `account_id = '${account.accountId}'`;
      return (await app.query(`SELECT COUNT(*) AS items FROM saved_item WHERE ${where}`)).map(({ items }) =>
        Number(items),
      );
    };
    expect(await count()).toEqual([1]);
    const deletion = 'mutation { deleteAccount(input: { password: "a long enough password" }) }';
    await app.graphql(deletion, {}, account.sessionToken);
    expect(await count()).toEqual([0]);
  });
});
