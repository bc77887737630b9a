import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { findProgram } from './find-program.mjs';

/** @typedef {{ program: string, product: 'MariaDB' | 'MySQL' }} DatabaseServer */

/**
 * The database server that the suites run on: the one that `MYSQLD` names, else this machine's MariaDB, else its MySQL.
 * @returns {DatabaseServer | null} null when there is none
 * @throws when `MYSQLD` names a program that is not there
 */
export function findDatabaseServer() {
  const named = process.env.MYSQLD ?? '';
  const program = named === '' ? findProgram('mariadbd', 'mysqld') : findProgram(named);
  if (program === null && named !== '') throw new Error(`MYSQLD is ${named}, and there is no such program.`);
  if (program === null) return null;
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  // Debian's `mysqld` is MariaDB.
  return { program, product: /mariadb/i.test(stdout) ? 'MariaDB' : 'MySQL' };
}

/**
 * What a server must be told first of all, so that it reads no settings of the machine. A script that wraps it says so by
 * itself, and the option is refused anywhere but in front.
 * @param {DatabaseServer} server
 */
export function withoutDefaults({ program }) {
  return isScript(program) ? [] : ['--no-defaults'];
}

/** @param {string} file */
function isScript(file) {
  const bytes = Buffer.alloc(2);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('latin1') === '#!';
}
