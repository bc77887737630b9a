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
  return program === null ? null : withProduct(program);
}

/**
 * The MariaDB and the MySQL that a run on both can have: of either product what `MYSQLD` names, else what the machine has.
 * @returns {{ mariadb: DatabaseServer | null, mysql: DatabaseServer | null }}
 * @throws when `MYSQLD` names a program that is not there
 */
export function findBothDatabaseServers() {
  const programs = [findProgram('mariadbd'), findProgram('mysqld')].filter((program) => program !== null);
  const servers = [findDatabaseServer(), ...programs.map(withProduct)];
  const ofProduct = (/** @type {string} */ product) => servers.find((server) => server?.product === product) ?? null;
  return { mariadb: ofProduct('MariaDB'), mysql: ofProduct('MySQL') };
}

/** Product and version, as in `MySQL 9.7.4`. @param {DatabaseServer} server */
export function nameDatabaseServer({ program, product }) {
  return `${product} ${/ Ver ([\d.]+)/.exec(readVersion(program))?.[1] ?? 'of unknown version'}`;
}

/** @param {string} program @returns {DatabaseServer} */
function withProduct(program) {
  // Debian's `mysqld` is MariaDB.
  return { program, product: /mariadb/i.test(readVersion(program)) ? 'MariaDB' : 'MySQL' };
}

/** @param {string} program */
function readVersion(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout;
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
