import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { describeOnMysql } from './each-database.js';

const scripts = join(findRepositoryRoot(import.meta.dirname), 'scripts');

/** Runs a line of a program that has imported this script, under these settings and no others. */
function runScript(file: string, line: string, settings: Readonly<Record<string, string>>) {
  const program = `const script = await import('${pathToFileURL(join(scripts, file))}'); ${line}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env.PATH, ...settings },
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout, stderr };
}

describe('findDatabaseServer', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-mysqld-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const find = (mysqld: string) =>
    runScript('find-database-server.mjs', 'console.log(JSON.stringify(script.findDatabaseServer()))', {
      MYSQLD: mysqld,
    });

  it.each([
    ['mysqld  Ver 9.7.4 for Linux on x86_64 (MySQL Community Server - GPL)', 'MySQL'],
    ['mysqld  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)', 'MariaDB'],
  ])('takes the program that MYSQLD names before any other, and asks it what it is: %s', (version, product) => {
    const program = join(folder, `mysqld-${product}`);
    writeFileSync(program, `#!/bin/sh\necho '${version}'\n`);
    chmodSync(program, 0o755);
    expect(JSON.parse(find(program).stdout)).toEqual({ program, product });
  });

  it('refuses a MYSQLD that is not there, instead of testing on something else', () => {
    const { status, stderr } = find(join(folder, 'none'));
    expect(status).toBe(1);
    expect(stderr).toContain(`MYSQLD is ${join(folder, 'none')}, and there is no such program.`);
  });
});

describe('planDatabasePasses', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-passes-'));
    // As Debian has them, in front of whatever this machine has.
    for (const name of ['mariadbd', 'mysqld']) writeServer(name, 'mysqld  Ver 10.11.19-MariaDB-0+deb12u1');
    writeServer('real-mysqld', 'mysqld  Ver 9.7.4 for Linux on x86_64 (MySQL Community Server - GPL)');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function writeServer(name: string, version: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${version}'\n`);
    chmodSync(join(folder, name), 0o755);
  }

  interface Plan {
    readonly passes: readonly { what: string; notRun: readonly string[]; env: Readonly<Record<string, string>> }[];
    readonly outside: readonly string[];
  }

  interface Run {
    readonly isLong: boolean;
    readonly namesFiles: boolean;
    readonly turn?: number;
  }

  function plan(settings: Readonly<Record<string, string>>, run: Run): Plan {
    const line = `console.log(JSON.stringify(script.planDatabasePasses(${JSON.stringify({ turn: null, ...run })})))`;
    const path = `${folder}:${process.env.PATH}`;
    return JSON.parse(runScript('database-passes.mjs', line, { PATH: path, ...settings }).stdout);
  }

  it('runs everything on MariaDB and then what moves money on MySQL alone, where both are there', () => {
    const { passes, outside } = plan({ MYSQLD: join(folder, 'real-mysqld') }, { isLong: true, namesFiles: false });
    expect(passes.map(({ what }) => what)).toEqual([
      'SQLite and MariaDB 10.11.19',
      expect.stringMatching(/^MySQL 9\.7\.4: money, migrations, keys and limits, \d+ suites$/),
    ]);
    expect(passes[0]).toMatchObject({ notRun: [], env: { MYSQLD: join(folder, 'mariadbd') } });
    expect(passes[1]?.env).toEqual({ MYSQLD: join(folder, 'real-mysqld'), TOLLGATE_TEST_DATABASES: 'server' });
    expect(passes[1]?.notRun).toContain('server/kernel/spend-period.test.ts');
    for (const file of [
      'ledger/ledger',
      'database/schema-changes/migrate',
      'keys/api-key-service',
      'limits/shared-sliding-window',
    ]) {
      expect(passes[1]?.notRun).not.toContain(`server/${file}.test.ts`);
    }
    expect(outside).toEqual([]);
  });

  it('shares what moves money between both where a turn is drawn, and says which halves are left', () => {
    const run = { isLong: true, namesFiles: false };
    const [one, other] = [7, 8].map((turn) => plan({ MYSQLD: join(folder, 'real-mysqld') }, { ...run, turn }));
    expect(one?.passes[0]?.env).toMatchObject({ TOLLGATE_SECOND_SERVER: 'yes' });
    expect(one?.passes[1]?.env).toEqual({ MYSQLD: join(folder, 'real-mysqld'), TOLLGATE_TEST_DATABASES: 'server' });
    const isThere = (file: string) =>
      [one, other].map((of) => !of?.passes[1]?.notRun.includes(`server/${file}.test.ts`));
    expect(isThere('ledger/ledger').sort()).toEqual([false, true]);
    expect(isThere('database/schema-changes/migrate')).toEqual([true, true]);
    expect(one?.outside).toEqual([
      expect.stringMatching(/^the MySQL half of suites .* MariaDB: \d\d suite\(s\); npm run test:all$/),
      expect.stringMatching(/^the MariaDB half of suites .* MySQL: \d\d suite\(s\); npm run test:all$/),
    ]);
  });

  it('says so where there is no MySQL, and runs the rest', () => {
    const { passes, outside } = plan({}, { isLong: true, namesFiles: false });
    expect(passes.map(({ what }) => what)).toEqual(['SQLite and MariaDB 10.11.19']);
    expect(outside).toEqual([expect.stringMatching(/^money, migrations, keys and limits on MySQL; .*MYSQLD=/)]);
  });

  it('takes the one server that is named, for named files and for a given address', () => {
    const mysqld = { MYSQLD: join(folder, 'real-mysqld') };
    expect(plan(mysqld, { isLong: true, namesFiles: true }).passes).toMatchObject([{ what: 'SQLite and MySQL 9.7.4' }]);
    const given = plan({ ...mysqld, TEST_MYSQL_URL: 'mysql://u@h' }, { isLong: true, namesFiles: false });
    expect(given.passes).toMatchObject([{ what: 'SQLite and the server of TEST_MYSQL_URL', notRun: [] }]);
  });
});

describeOnMysql('The server of a test run', () => {
  it('is the one that TEST_MYSQL_URL names, when it names one, and none is started', () => {
    const url = String(process.env.TEST_MYSQL_URL);
    const line = `await script.default();
      const { TEST_MYSQL_URL, TEST_MYSQL_ADMIN_URL, TEST_MYSQL_PRODUCT } = process.env;
      console.log(JSON.stringify([TEST_MYSQL_URL, TEST_MYSQL_ADMIN_URL, TEST_MYSQL_PRODUCT]));`;
    // A program that is not there: whoever looked for it would fail.
    const { stdout } = runScript('jest-global-setup.mjs', line, { TEST_MYSQL_URL: url, MYSQLD: '/not/there' });
    expect(JSON.parse(stdout)).toEqual([url, url, process.env.TEST_MYSQL_PRODUCT]);
  });

  it('gives its user the rights that docs/operations/databases.md grants, and no others', async () => {
    const documented = /GRANT ([A-Z, ]+) ON `tollgate`\.\* TO/.exec(
      readFileSync(join(scripts, '../docs/operations/databases.md'), 'utf8'),
    )?.[1];
    const connection = await createConnection(String(process.env.TEST_MYSQL_URL));
    const [rows] = await connection.query<RowDataPacket[]>('SHOW GRANTS');
    await connection.end();
    const grants = rows.map((row) => String(Object.values(row)[0]));
    // USAGE is the word for no right at all.
    const real = grants.filter((grant) => !grant.startsWith('GRANT USAGE ON *.*'));
    expect(real).toEqual([expect.stringMatching(/^GRANT [A-Z, ]+ ON `tollgate\\_%`\.\* TO/)]);
    const given = /^GRANT ([A-Z, ]+) ON/.exec(String(real[0]))?.[1]?.split(', ').sort();
    expect(given).toEqual(documented?.split(', ').sort());
  });
});
