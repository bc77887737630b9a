import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getDatabaseId } from '../database/database-id.js';
import { silentLogger } from '../kernel/logger.js';
import { openLedger } from '../ledger/open-ledger.js';
import { SettlementQuarantine } from '../ledger/settlements/settlement-quarantine.js';
import { SettlementSpool } from '../ledger/settlements/settlement-spool.js';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { makeTestFolder } from '../test/test-folder.js';

/** The commands of docs/backup.md for MySQL and MariaDB: taking a backup, and going back to it. */
function readCommands(): readonly [taking: string, goingBack: string] {
  const page = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs/backup.md'), 'utf8');
  const chapter = page.slice(page.indexOf('## MySQL and MariaDB'));
  const [taking, goingBack] = [...chapter.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  if (taking === undefined || goingBack === undefined) throw new Error('docs/backup.md has no commands for MySQL.');
  return [taking, goingBack];
}

describeOnEachDatabase('the spool, by the commands of docs/backup.md', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('restore-spools');
    // The dump is the database's own affair.
    for (const name of ['bin', 'backup']) mkdirSync(join(folder, name));
    for (const name of ['mysqldump', 'mysql', 'npm']) {
      const file = join(folder, 'bin', name);
      writeFileSync(
        file,
        name === 'mysql' ? '#!/bin/sh\n[ $# -eq 2 ] || cat > restored.sql\n' : '#!/bin/sh\necho dump\n',
      );
      chmodSync(file, 0o755);
    }
  });

  function run(commands: string, spoolFolder: string): void {
    const path = `${join(folder, 'bin')}${delimiter}${process.env.PATH}`;
    const env = { PATH: path, SPOOL_DIR: spoolFolder };
    const { status, stderr } = spawnSync('sh', ['-euc', commands], { cwd: folder, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  }

  it('comes back with all that waited before and after the dump, each booked once, what nobody had decided, and no lock', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const placeHold = async () => {
      const hold = holdOf(account, 100);
      await fixture.ledger.placeHold(hold);
      return { callId: hold.callId, accountId: account.accountId, ending: endingWith(20, 10) };
    };
    const databaseId = await getDatabaseId(fixture.unitOfWork);
    const spoolFolder = join(folder, 'a folder/spool');
    const spool = new SettlementSpool(spoolFolder, 'server', silentLogger, { databaseId });
    const quarantine = new SettlementQuarantine(spoolFolder);
    const refused = (n: number) => ({ callId: `call_${n}`, accountId: 'acct_gone', ending: endingWith(n, 1) });
    const [bookedMeanwhile, inBoth, afterwards] = [await placeHold(), await placeHold(), await placeHold()];
    await spool.keep(bookedMeanwhile);
    await spool.keep(inBoth);
    await quarantine.add(refused(1), 'unknown_hold');

    const [taking, goingBack] = readCommands();
    const dumpAt = taking.indexOf('mysqldump');
    run(taking.slice(0, dumpAt), spoolFolder);
    spool.forget(bookedMeanwhile.callId);
    await spool.keep(afterwards);
    await quarantine.end({ input: refused(1), reason: 'unknown_hold', quarantinedAtMs: 1 }, 'dismissed', 'x');
    await quarantine.add(refused(2), 'unknown_hold');
    run(taking.slice(dumpAt), spoolFolder);
    await spool.close();
    const restored = join(folder, 'another machine/spool');
    mkdirSync(restored, { recursive: true });
    run(goingBack, restored);

    expect(readFileSync(join(folder, 'restored.sql'), 'utf8')).toBe('dump\n');
    expect(readdirSync(restored).filter((name) => /lock/.test(name))).toEqual([]);
    const open = await new SettlementQuarantine(restored).list();
    expect(open.map(({ input }) => input.callId).sort()).toEqual(['call_1', 'call_2']);
    const parts = { address: fixture.database.address, spoolFolder: restored, logger: silentLogger };
    const ledger = openLedger({ ...parts, instance: 'restored', databaseId });
    await eventually(async () => (await fixture.countRows('call_record')) === 3);
    await ledger.close();
    expect(readdirSync(restored)).toEqual(['quarantine']);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 910, pending: 0 });
    expect(await new SettlementQuarantine(restored).count()).toBe(2);
  }, 60_000);
});
