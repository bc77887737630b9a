import { findLedgerViolations } from '../../ledger/checks/check-ledger.js';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { testSecretsKey } from '../../test/factor-app.js';
import { runProgram } from '../../test/run-program.js';
import { runWarmProgram } from '../../test/warm-programs.js';

const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };

describeOnEachDatabase('npm run tollgate -- account', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  let account: TestAccount;
  const run = (...words: string[]) =>
    runWarmProgram('tollgate.js', app.database.address, {
      words,
      settings: { LOG_LEVEL: 'warn', SECRETS_KEY: testSecretsKey },
    });
  const runJson = async (...words: string[]) => JSON.parse((await run(...words, '--json')).output);

  beforeEach(async () => {
    account = await app.createAccount(5);
  });

  it('finds an account by the beginning of its e-mail address and by the id of whatever a letter quotes', async () => {
    await (await app.call(account.secret, call)).text();
    const [{ call_id: callId }] = (await app.query(
      `SELECT call_id FROM call_record WHERE account_id = '${account.accountId}'`,
    )) as [{ call_id: string }];
    const [{ id: keyId }] = (await app.query(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`)) as [
      { id: string },
    ];
    const [{ email }] = (await app.query(`SELECT email FROM account WHERE id = '${account.accountId}'`)) as [
      { email: string },
    ];
    for (const [text, by] of [
      [account.accountId, 'account'],
      [callId, 'call'],
      [keyId, 'key'],
      [email.slice(0, -4).toUpperCase(), 'email'],
    ] as const) {
      expect(await runJson('account', 'find', text)).toMatchObject([{ id: account.accountId, email, by }]);
    }
    const nothing = await run('account', 'find', 'nobody-begins-so');
    expect([nothing.exitCode, nothing.log]).toEqual([1, expect.stringContaining('Nothing is found by that')]);
    expect(await runJson('account', 'find', '%')).toEqual([]);
  }, 60_000);

  it('gives credits once for a word of --once, takes them back into debt, and writes down who did it and why', async () => {
    const { accountId } = account;
    const grant = ['account', 'grant', accountId, '--credits', '50.5', '--reason', 'Charged twice', '--once', 'T-1'];
    const given = await run(...grant);
    expect([given.exitCode, given.output]).toEqual([0, expect.stringContaining('50.500 credits were given to')]);
    expect((await run(...grant)).output).toContain('done before');
    expect(await runJson('account', 'show', accountId)).toMatchObject({ availableMillicredits: 5_050_500 });
    const taken = await run('account', 'take-back', accountId, '--credits', '6000', '--reason', 'It was not');
    expect(taken.output).toContain('6000.000 credits were taken from');
    const shown = await runJson('account', 'show', accountId);
    expect(shown).toMatchObject({ availableMillicredits: -949_500, debtMillicredits: 949_500 });
    expect(shown.events).toMatchObject([
      { action: 'take_back', amountMillicredits: 6_000_000, reason: 'It was not', actor: expect.stringContaining('@') },
      { action: 'grant', amountMillicredits: 50_500, reason: 'Charged twice' },
    ]);
    expect(await runJson('log', '--account', accountId)).toEqual(shown.events);
    expect(await findLedgerViolations({ query: (sql) => app.query(sql) })).toEqual([]);
  }, 60_000);

  it('freezes and opens an account, and revokes a key that a running server then lets in no more', async () => {
    const { accountId, secret } = account;
    expect((await run('account', 'freeze', accountId, '--reason', 'Stolen card')).exitCode).toBe(0);
    expect((await app.call(secret, call)).status).toBe(403);
    expect((await run('account', 'open', accountId, '--reason', 'It was not')).exitCode).toBe(0);
    expect((await app.call(secret, call)).status).toBe(200);
    const { keys } = await runJson('account', 'show', accountId);
    expect((await run('key', 'revoke', keys[0].id, '--reason', 'Leaked')).output).toContain('is revoked');
    expect((await app.call(secret, call)).status).toBe(401);
    const actions = (await runJson('log', '--account', accountId)).map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['revoke_key', 'open', 'freeze']);
  }, 60_000);

  it('changes nothing and logs nothing for words that cannot be', async () => {
    const { accountId } = account;
    for (const [words, line] of [
      [['account', 'grant', accountId, '--credits', '0', '--reason', 'None'], /--credits is more than 0/],
      [
        ['account', 'grant', accountId, '--credits', '1000000000.001', '--reason', 'All'],
        /--credits .* 1,000,000,000 /,
      ],
      [['account', 'take-back', accountId, '--credits', '1000000000.001', '--reason', 'All'], /1,000,000,000 credits/],
      [['gift-code', 'create', '--credits', '1000000000.001', '--reason', 'All'], /--credits .* 1,000,000,000 credits/],
      [['account', 'grant', accountId, '--credits', '5'], /Name --reason/],
      [['account', 'grant', accountId, '--credits', '5', '--reason', ' x '], /A reason has 3 to 191/],
      [['account', 'grant', accountId, '--credits', '5', '--reason', 'Fine', '--once', 'a b'], /--once is a word/],
      [['account', 'grant', 'acct_nobody', '--credits', '5', '--reason', 'Fine'], /There is no such account/],
      [['account', 'freeze', `${accountId} `, '--reason', 'Stolen'], /is not the account: it has blanks/],
      [['key', 'revoke', 'sk-secret', '--reason', 'Leaked'], /There is no such key/],
    ] as const) {
      const wrong = await run(...words);
      expect([wrong.exitCode, wrong.log]).toEqual([1, expect.stringMatching(line)]);
    }
    expect(await runJson('log', '--account', accountId)).toEqual([]);
    expect(await runJson('account', 'show', accountId)).toMatchObject({ availableMillicredits: 5_000_000 });
  }, 60_000);

  it('prints a link that makes an operator, and refuses roles and people that there are not', async () => {
    const invited = await run('operator', 'invite', '--role', 'support', '--reason', 'New colleague');
    expect([invited.exitCode, invited.output]).toEqual([0, expect.stringMatching(/\/operator\/join#[\w-]{43}\n$/)]);
    const [row] = await app.query('SELECT * FROM operator_invitation');
    expect(row).toMatchObject({ role: 'support', operator_id: null });
    expect(JSON.stringify(row)).not.toContain(invited.output.trim().split('#')[1]);
    expect((await runJson('log'))[0]).toMatchObject({ action: 'invite', reason: 'New colleague' });
    expect(await runJson('operator', 'list')).toEqual([]);
    for (const [words, line] of [
      [['operator', 'invite', '--role', 'boss', '--reason', 'Fine'], /--role is one of owner, support/],
      [['operator', 'invite'], /Name --reason/],
      [['operator', 'disable', 'nobody@tollgate.test', '--reason', 'Gone'], /There is no such operator/],
    ] as const) {
      const wrong = await run(...words);
      expect([wrong.exitCode, wrong.log]).toEqual([1, expect.stringMatching(line)]);
    }
  }, 60_000);

  it('doctor finds all well, and says of each thing that is not what to do', async () => {
    const well = await run('doctor');
    expect([well.exitCode, well.output]).toEqual([0, expect.stringMatching(/ok +database +.*up to date/)]);
    const settings = {
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'tollgate@example.com',
      STRIPE_SECRET_KEY: `sk_test_${'x'.repeat(24)}`,
      STRIPE_API_BASE: 'http://127.0.0.1:1',
    };
    const ill = await runProgram('tollgate.js', app.database.address, { words: ['doctor', '--json'], settings });
    expect(ill.exitCode).toBe(2);
    const failed = (JSON.parse(ill.output) as { check: string; standing: string; remedy: string | null }[]).filter(
      ({ standing }) => standing === 'failed',
    );
    expect(failed.map(({ check }) => check).sort()).toEqual(['mail', 'redis', 'stripe']);
    for (const { remedy } of failed) expect(remedy).toMatch(/Correct|Start/);
    expect(ill.output + ill.log).not.toContain('sk_test_x');
  }, 60_000);
});
