import { FakeClock } from '../../kernel/clock.js';
import { JournalSummer } from '../../ledger/journal/journal-summer.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { runWarmProgram } from '../../test/warm-programs.js';
import { UsageError } from '../operator-program.js';
import { listUsageCommands } from './usage-commands.js';

const dayMs = 86_400_000;

describeOnEachDatabase('npm run tollgate -- usage', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  const settings = () => ({ SPOOL_DIR: fixture.spoolFolder });
  const run = (...words: string[]) =>
    runWarmProgram('tollgate.js', fixture.database.address, {
      words: ['usage', 'mend', ...words],
      settings: settings(),
    });
  const verify = () => runWarmProgram('verify.js', fixture.database.address, { settings: settings() });

  it('says what is wrong and how it is mended, mends it, after which a verification says that all is well', async () => {
    const account = await fixture.createFundedAccount(10_000);
    const { accountId } = account;
    const { callId } = await begin(fixture.ledger, account, 500, { startedAtMs: Date.now() - dayMs });
    await end(fixture.ledger, account, callId, 300);
    expect(await run()).toMatchObject({ exitCode: 0, output: 'Nothing is wrong.\n' });
    await fixture.source.query('UPDATE usage_hour SET calls = calls + 2, charged_millicredits = 1300');
    expect(await verify()).toMatchObject({ exitCode: 1 });
    const told = `${accountId}  1 rows of hours: -2 calls, 0 tokens, -1.000 credits\n`;
    const asked = `${told}Nothing was changed. Mend it: usage mend --apply --reason "…"\n`;
    expect(await run()).toMatchObject({ exitCode: 0, output: asked });
    expect(await verify()).toMatchObject({ exitCode: 1 });
    const json = await run('--json', '--account', accountId);
    expect(JSON.parse(json.output)).toMatchObject({ accounts: [{ accountId, hours: 1, left: null }], left: 0 });
    const words = ['--apply', '--reason', 'Typed by hand on 3 May'];
    const done = `${told}All of it is mended. Prove it: npm run ledger:verify\n`;
    expect(await run(...words)).toMatchObject({ exitCode: 0, output: done });
    expect(await verify()).toMatchObject({ exitCode: 0 });
    expect(await run(...words)).toMatchObject({ exitCode: 0, output: 'Nothing is wrong.\n' });
    expect(await run('--account', 'acct_nobody')).toMatchObject({ exitCode: 1 });
  }, 120_000);

  it('says from when on the sums of the journal are wrong, and takes them back', async () => {
    await fixture.createFundedAccount(10_000);
    await new JournalSummer(fixture.unitOfWork, new FakeClock(Date.now() + 2 * 3_600_000)).sumUp();
    await fixture.source.query('UPDATE ledger_hour SET sales = sales + 7');
    expect(await verify()).toMatchObject({ exitCode: 1 });
    const told = 'The sums of the journal are wrong from ';
    expect(await run()).toMatchObject({ exitCode: 0, output: expect.stringContaining(told) });
    const mended = await run('--apply', '--reason', 'Typed by hand');
    expect(mended).toMatchObject({ exitCode: 0, output: expect.stringContaining('a running server makes them anew') });
    expect(await verify()).toMatchObject({ exitCode: 0 });
    expect(await run()).toMatchObject({ exitCode: 0, output: 'Nothing is wrong.\n' });
  }, 120_000);

  it('says with status 2 what is left', async () => {
    const account = await fixture.createFundedAccount(10_000);
    const { callId } = await begin(fixture.ledger, account, 500, { startedAtMs: Date.now() });
    await end(fixture.ledger, account, callId, 300);
    const where = `WHERE account_id = '${account.accountId}'`;
    await fixture.source.query(`UPDATE usage_hour SET calls = 5 ${where}`);
    const left = await run('--apply', '--reason', 'Typed by hand');
    expect(left).toMatchObject({ exitCode: 2, output: expect.stringContaining('began less than two hours ago') });
    await fixture.source.query(`UPDATE usage_hour SET calls = 1 ${where}`);
  }, 60_000);

  it('refuses what was typed wrong before a database is asked for', async () => {
    for (const options of [{ apply: 'true' }, { reason: 'Because' }]) {
      const commands = listUsageCommands(() => Promise.reject(new Error('a database was asked for')));
      await expect((async () => commands['usage mend']?.run('', options))()).rejects.toThrow(UsageError);
    }
  });
});
