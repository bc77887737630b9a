import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };

describeOnEachDatabase('An account from before there were members', (openTestDatabase) => {
  it('has one owner afterwards: session, key, credits and scripts go on, and no row is made for it', async () => {
    const database = await openTestDatabase();
    const before = await TestApp.startBeside(database);
    const account = await before.createAccount(5);
    expect((await before.call(account.secret, call)).status).toBe(200);
    await before.close();

    const source = await openDataSource(createDataSource(database.address, { entities, migrations }));
    const runner = source.createQueryRunner();
    while (await runner.hasTable('membership')) await source.undoLastMigration();
    await runner.release();
    await source.destroy();

    const after = await TestApp.start(database);
    const { sessionToken, secret, accountId } = account;
    expect((await after.call(secret, call)).status).toBe(200);
    const shown = await after.graphql(
      '{ viewer { id role } person { id accounts { accountId role isCurrent } } members { personId role isYou monthlyBudget } apiKeys { name } }',
      {},
      sessionToken,
    );
    expect(shown).toEqual({
      viewer: { id: accountId, role: 'OWNER' },
      person: { id: accountId, accounts: [{ accountId, role: 'OWNER', isCurrent: true }] },
      members: [{ personId: accountId, role: 'OWNER', isYou: true, monthlyBudget: null }],
      apiKeys: [{ name: 'test' }],
    });
    await after.graphql('mutation { updateProfile(input: { name: "Ada" }) { id } }', {}, sessionToken);
    await after.buyCredits(sessionToken, 5);
    expect(await after.query('SELECT * FROM membership')).toEqual([]);
    await after.close();
  }, 120_000);
});
