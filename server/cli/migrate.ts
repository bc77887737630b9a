import 'reflect-metadata';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';
import { takeBackMigration } from './take-back-migration.js';
import { tellWhenSilent } from './tell-when-silent.js';

/*
 * `npm run migration:run` brings the database of the settings up to date, as the server does when it starts, and
 * `npm run migration:revert` takes the last step back, beside no server, and in a database that is used only where it is named. Exit status: 0 done, 1 it could not be done.
 */
const program = {
  usage: 'Usage: npm run migration:run, or npm run migration:revert -- [migration] (without options)',
  failure: 'The database was not changed to the end.',
  exitCodes: { usage: 1, failed: 1 },
};

await runOperatorProgram(program, async () => {
  const [direction, ...rest] = readWords(process.argv.slice(2)).positionals;
  const [named, beyond] = direction === 'revert' ? rest : [undefined, rest[0]];
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)}.`);
  if (direction !== 'run' && direction !== 'revert') throw new UsageError('Say run or revert.');
  const use = { mustFileExist: direction === 'revert', isSpoolUsed: false };
  const { database } = loadProgramConfig(process.env, use);
  const source = createDataSource(database, { entities, migrations });
  const done = await tellWhenSilent(async (tell) => {
    try {
      if (direction === 'run') {
        await openDataSource(source, { tell: (_, line) => tell(line) });
        return 'The database is up to date.';
      }
      await source.initialize();
      const taken = await takeBackMigration(source, database, named ?? null);
      return taken === null ? 'There is no migration to take back.' : `${taken} is taken back, with what it had made.`;
    } finally {
      if (source.isInitialized) await source.destroy();
    }
  });
  console.log(done);
  return 0;
});
