import 'reflect-metadata';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';

/*
 * `npm run migration:run` brings the database of the settings up to date, as the server does when it starts, and
 * `npm run migration:revert` takes the last step back. Exit status: 0 done, 1 it could not be done.
 */
const program = {
  usage: 'Usage: npm run migration:run, or npm run migration:revert (without options)',
  failure: 'The database was not changed to the end.',
  exitCodes: { usage: 1, failed: 1 },
};

await runOperatorProgram(program, async () => {
  const [direction, beyond] = readWords(process.argv.slice(2)).positionals;
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)}.`);
  if (direction !== 'run' && direction !== 'revert') throw new UsageError('Say run or revert.');
  const use = { mustFileExist: direction === 'revert', isSpoolUsed: false };
  const { database } = loadProgramConfig(process.env, use);
  const source = createDataSource(database, { entities, migrations });
  try {
    if (direction === 'run') await openDataSource(source, { tell: (_, line) => console.error(line) });
    else await source.initialize().then(() => source.undoLastMigration({ transaction: 'each' }));
  } finally {
    if (source.isInitialized) await source.destroy();
  }
  console.log(direction === 'run' ? 'The database is up to date.' : 'The last migration is taken back.');
  return 0;
});
