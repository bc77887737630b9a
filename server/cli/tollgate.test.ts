import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { runWarmProgram } from '../test/warm-programs.js';

const redeem = 'mutation ($code: String!) { redeemGiftCode(code: $code) { credits balance } }';

describeOnEachDatabase('npm run tollgate', (openTestDatabase) => {
  it('makes, lists and revokes gift codes beside a running server, and opens a wallet that the auditor closed', async () => {
    const database = await openTestDatabase();
    const app = await TestApp.start(database);
    const account = await app.createAccount(0);
    const run = (...words: string[]) =>
      runWarmProgram('tollgate.js', database.address, { words, settings: { LOG_LEVEL: 'warn' } });

    const made = await run('gift-code', 'create', '--credits', '500', '--count', '2', '--expires', '2099-12-31');
    expect(made.exitCode).toBe(0);
    const [first, second] = made.output
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    const gift = await app.graphql<{ redeemGiftCode: object }>(redeem, { code: first?.[0] }, account.sessionToken);
    expect(gift.redeemGiftCode).toEqual({ credits: 500, balance: 500 });

    expect((await run('gift-code', 'revoke', String(second?.[1]))).exitCode).toBe(0);
    expect((await run('gift-code', 'revoke', String(first?.[1]))).exitCode).toBe(1);
    const list = (await run('gift-code', 'list')).output;
    expect(list).toContain(`claimed by ${account.accountId}`);
    expect(list).toContain('revoked');
    expect(list).not.toContain(String(first?.[0]));
    const asJson = JSON.parse((await run('gift-code', 'list', '--json')).output) as unknown;
    expect(asJson).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'claimed', claimedBy: account.accountId })]),
    );

    expect((await run('wallet', 'freeze', account.accountId)).exitCode).toBe(0);
    const stopped = await app.call(account.secret, { model: 'demo-small', messages: [{ role: 'user', content: 'x' }] });
    expect(stopped.status).toBe(403);
    expect((await run('wallet', 'open', account.accountId)).exitCode).toBe(0);
    const served = await app.call(account.secret, { model: 'demo-small', messages: [{ role: 'user', content: 'x' }] });
    expect(served.status).toBe(200);

    const isMysql = database.kind === 'mysql';
    for (const [word, isComplete] of [
      ['begun', 0],
      ['finished', 1],
    ]) {
      expect((await run('upgrade', String(word))).exitCode).toBe(isMysql ? 0 : 1);
      if (isMysql)
        expect(await app.query('SELECT is_complete FROM key_change_count')).toEqual([{ is_complete: isComplete }]);
    }

    for (const words of [[], ['gift-code'], ['gift-code', 'create'], ['gift-code', 'create', '--credits', 'many']]) {
      const wrong = await run(...words);
      expect(wrong.exitCode).toBe(1);
      expect(wrong.log).toContain('Usage');
    }
    await app.close();
  }, 120_000);

  it('prints the links that mails would bring, and says where there is none', async () => {
    const database = await openTestDatabase();
    const app = await TestApp.start(database);
    await app.createAccount(0);
    const [person] = await app.query('SELECT email FROM account');
    const run = (...words: string[]) =>
      runWarmProgram('tollgate.js', database.address, { words, settings: { LOG_LEVEL: 'warn' } });
    const reset = await run('password-reset-link', String(person?.email));
    expect([reset.exitCode, reset.output.trim()]).toEqual([0, expect.stringMatching(/^http\S+$/)]);
    expect(reset.log).toContain('30 minutes');
    for (const [command, remedy] of [
      ['verification-link', 'not verified yet'],
      ['password-reset-link', 'no account'],
      ['email-change-link', 'has asked for this e-mail'],
      ['invitation-link', 'Nobody has invited'],
    ] as const) {
      const none = await run(command, 'nobody@tollgate.example');
      expect([command, none.exitCode, none.log]).toEqual([command, 1, expect.stringContaining(remedy)]);
    }
    await app.close();
  }, 120_000);
});
