import { migrations } from '../../entities.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { runProgram } from '../../test/run-program.js';
import { standGuardAsAdmin } from '../../test/stand-guard.js';
import { createDataSource, openDataSource } from '../data-source.js';
import { findMissingTriggers } from './append-only.js';

const names = ['ledger_transfer_refuses_update', 'ledger_transfer_refuses_delete'];

describeOnEachDatabase('The triggers that keep the journal append-only', (openTestDatabase) => {
  it('are told of by ledger:verify, whether they stand or not, without a verdict on the books', async () => {
    const database = await openTestDatabase();
    const source = await openDataSource(createDataSource(database.address, { entities: [], migrations }));
    await standGuardAsAdmin(database);
    expect(await findMissingTriggers(source)).toEqual([]);
    expect(await runProgram('verify.js', database.address)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('The database itself refuses to change or delete a row of ledger_transfer.'),
    });
    for (const name of names) await source.query(`DROP TRIGGER ${name}`);
    expect(await findMissingTriggers(source)).toEqual(names);
    expect(await runProgram('verify.js', database.address)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`${names.join(', ')} missing. docs/operations/databases.md says what to do.`),
    });
    await source.destroy();
  });

  it('are added at a start that finds them missing, where the server lets its user make them', async () => {
    const database = await openTestDatabase();
    const open = (news: string[]) =>
      openDataSource(createDataSource(database.address, { entities: [], migrations }), {
        tell: (kind) => news.push(kind),
      });
    const first: string[] = [];
    const source = await open(first);
    for (const name of names) await source.query(`DROP TRIGGER IF EXISTS ${name}`);
    await source.destroy();
    const second: string[] = [];
    const again = await open(second);
    expect(second).toEqual(first);
    // Where it does not, each start says so, once.
    expect(await findMissingTriggers(again)).toEqual(second.includes('append_only_not_enforced') ? names : []);
    await again.destroy();
  });
});
