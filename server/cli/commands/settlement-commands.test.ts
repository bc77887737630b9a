import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../kernel/logger.js';
import { SettlementQuarantine } from '../../ledger/settlements/settlement-quarantine.js';
import { SettlementSpool } from '../../ledger/settlements/settlement-spool.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { runProgram } from '../../test/run-program.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { runWarmProgram } from '../../test/warm-programs.js';

describeOnEachDatabase('what waits on the disk and in quarantine', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  const spoolFolder = makeTestFolder('spool');

  const tollgate = (...words: string[]) =>
    runWarmProgram('tollgate.js', fixture.database.address, {
      words: ['settlements', ...words],
      settings: { SPOOL_DIR: spoolFolder },
    });
  const verify = () => runWarmProgram('verify.js', fixture.database.address, { settings: { SPOOL_DIR: spoolFolder } });

  it('is told by a verification with its number and tokens, and is booked or dismissed by the operator, once', async () => {
    expect(await verify()).toMatchObject({ exitCode: 0 });
    const account = await fixture.createFundedAccount(1_000);
    const hold = holdOf(account, 100);
    const { callId } = hold;
    await fixture.ledger.placeHold(hold);
    const quarantine = new SettlementQuarantine(spoolFolder);
    await quarantine.add({ callId, accountId: account.accountId, ending: endingWith(20, 10) }, 'constraint');
    await quarantine.add({ callId: 'call_gone', accountId: 'acct_gone', ending: endingWith(3, 4) }, 'unknown_hold');

    const unsound = await verify();
    expect(unsound.exitCode).toBe(3);
    expect(unsound.output).toContain('2 settlements with 37 tokens were refused');
    expect(unsound.output).not.toContain('The ledger adds up.');
    expect((await tollgate('list')).output).toContain(`${callId}  ${account.accountId}  30 tokens`);

    expect(await tollgate('book', 'call_gone')).toMatchObject({ exitCode: 1 });
    expect(await tollgate('dismiss', 'call_gone')).toMatchObject({ exitCode: 1 });
    expect(await tollgate('dismiss', 'call_gone', '--reason', 'test traffic')).toMatchObject({ exitCode: 0 });
    expect(await tollgate('book', callId)).toMatchObject({ exitCode: 0, output: `${callId} is booked.\n` });
    expect(await tollgate('book', callId)).toMatchObject({ exitCode: 1 });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 970, pending: 0 });
    const decided = await fixture.source.query('SELECT action, account_id, subject FROM operator_event ORDER BY id');
    // What was tried stands there, too.
    expect(decided).toEqual([
      { action: 'book_settlement', account_id: 'acct_gone', subject: 'call_gone' },
      { action: 'dismiss_settlement', account_id: 'acct_gone', subject: 'call_gone' },
      { action: 'book_settlement', account_id: account.accountId, subject: callId },
    ]);
    expect((await tollgate('list')).output).toBe('Nothing waits.\n');
    expect(await verify()).toMatchObject({ exitCode: 0 });
  }, 60_000);

  it('is told by a verification while a server that died has left it in its spool', async () => {
    const spool = new SettlementSpool(spoolFolder, 'dead', silentLogger);
    await spool.keep({ callId: 'call_kept', accountId: 'acct_1', ending: endingWith(5, 6) });
    await spool.close();
    const { exitCode, output } = await verify();
    expect(exitCode).toBe(3);
    expect(output).toContain('NOT ALL IS BOOKED: 1 settlements with 11 tokens wait on this machine.');
  });

  it('is told apart where it is of another database, and left to that one by servers and commands', async () => {
    const databaseId = 'inst_01M8CWDT7Z72KKEHBKFD1Q5DBJ';
    const shared = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
    const spool = new SettlementSpool(shared, 'dead', silentLogger, { databaseId });
    await spool.keep({ callId: 'call_other', accountId: 'acct_1', ending: endingWith(5, 6) });
    await spool.close();
    const settings = { SPOOL_DIR: shared };
    const words = '1 settlements with 11 tokens in the spool are of another database';
    const listed = await runProgram('tollgate.js', fixture.database.address, {
      words: ['settlements', 'list'],
      settings,
    });
    expect(listed.output).toContain(words);
    const verified = await runProgram('verify.js', fixture.database.address, { settings });
    expect(verified).toMatchObject({ exitCode: 3, output: expect.stringContaining(words) });
    const examined = await runProgram('tollgate.js', fixture.database.address, { words: ['doctor'], settings });
    expect(examined.output).toContain(`1 of another database wait in ${shared}`);
    expect((await new SettlementQuarantine(shared).list()).length).toBe(0);
    rmSync(shared, { recursive: true });
  }, 60_000);
});
