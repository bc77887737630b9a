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

  it('gives its user the rights that docs/operations.md grants, and no others', async () => {
    const documented = /GRANT ([A-Z, ]+) ON `tollgate`\.\* TO/.exec(
      readFileSync(join(scripts, '../docs/operations.md'), 'utf8'),
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
