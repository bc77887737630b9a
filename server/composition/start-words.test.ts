import { spawnSync } from 'node:child_process';
import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { describeOnMysql, openSqliteDatabase } from '../test/each-database.js';
import { runProgram } from '../test/run-program.js';
import { runProgramFile } from '../test/running-program.js';
import { giveSchema } from '../test/schema-template.js';
import { makeTestFolder } from '../test/test-folder.js';
import { explainStartFailure } from './explain-start-failure.js';

const main = join(import.meta.dirname, '../main.js');
const isStack = /^\s+at /m;

describe('a server that is started', () => {
  it('with a word or an option says that it knows none, and serves nothing', async () => {
    const folder = makeTestFolder('start-words');
    for (const word of ['--port', 'serve']) {
      const server = runProgramFile(main, [word, '99'], { DATABASE_URL: 'sqlite:x.db', SPOOL_DIR: folder }, folder);
      expect([await server.ended, server.output()]).toEqual([1, '']);
      expect(server.log()).toMatch(new RegExp(`^Nothing is known about "${word}"\\. Settings come from .*\n$`));
    }
  }, 60_000);

  it('says in one line that its working folder is gone', () => {
    const folder = join(makeTestFolder('gone'), 'gone');
    const words = ['-c', 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3"', 'sh', folder, process.execPath, main];
    const run = spawnSync('sh', words, { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const line = 'The working folder is gone. Start the server in a folder that is there.\n';
    expect([run.status, run.stderr]).toEqual([1, line]);
  }, 60_000);

  it('on a damaged or a truncated file says so in one line', async () => {
    const database = await openSqliteDatabase();
    await giveSchema(database);
    const folder = makeTestFolder('damaged-file');
    const file = join(folder, 'tollgate.db');
    const { address } = database;
    if (address.kind !== 'sqlite') throw new Error('no file');
    copyFileSync(address.file, file);
    truncateSync(file, 8_192);
    const server = runProgramFile(main, [], { DATABASE_URL: `sqlite:${file}`, SPOOL_DIR: folder, PORT: '0' }, folder);
    expect(await server.ended).toBe(1);
    expect(server.log()).toMatch(/^DATABASE_URL: .* The file is damaged: keep it, and restore a backup/);
    expect(server.log()).not.toMatch(isStack);
    await database.drop();
  }, 60_000);

  it('in a folder that its user may not build in says so in one line', () => {
    const script = join(findRepositoryRoot(import.meta.dirname), 'scripts/make-ready.mjs');
    const code = `import { failToStart } from ${JSON.stringify(pathToFileURL(script).href)};
      failToStart(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/opt/tollgate/dist' }), 1);`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(
      /^This user may not write to \/opt\/tollgate\/dist \(EACCES\)\. Run "npm run build" .*\n$/,
    );
  });

  it.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_NOTADB', 'SQLITE_FULL'])(
    'where SQLite says %s, says so in one line',
    (code) => {
      const words = explainStartFailure(Object.assign(new Error('what SQLite says'), { code }));
      expect(words).toMatch(/^DATABASE_URL: what SQLite says\. .+$/);
    },
  );

  it.each([
    ['ER_QUERY_TIMEOUT', 3024],
    ['ER_STATEMENT_TIMEOUT', 1969],
    ['ER_UNKNOWN_SYSTEM_VARIABLE', 1193],
  ])('where a server says %s, says so in one line', (code, errno) => {
    const words = explainStartFailure(Object.assign(new Error('interrupted'), { code, errno }));
    expect(words).toMatch(/^DATABASE_URL: interrupted\. .+$/);
  });
});

describeOnMysql('a process that may make no code of texts', (openTestDatabase) => {
  it('reads and migrates the database all the same', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const settings = { NODE_OPTIONS: '--disallow-code-generation-from-strings' };
    const { address } = database;
    for (const [program, words] of [
      ['migrate.js', ['run']],
      ['verify.js', []],
    ] as const) {
      const run = await runProgram(program, address, { words, settings });
      expect([program, run.exitCode, run.log]).toEqual([program, 0, '']);
    }
  }, 120_000);
});
