import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { startPrivateDatabaseServer } from './private-database-server.mjs';

/** Of the folders of this run's tests, for `server/test/test-folder.ts`. */
const runFolder = `tollgate-run-${process.pid}`;

/** @type {Awaited<ReturnType<typeof startPrivateDatabaseServer>>} */
let server = null;

/**
 * Gives the database suites of this run a MariaDB or MySQL of their own, or the one that `TEST_MYSQL_URL` names;
 * `server/test/each-database.ts` reads its address. `MYSQLD` chooses the program. That user may make databases named
 * `tollgate_…`. `TEST_MYSQL_ADMIN_URL`, for the few suites that set up the server itself, is the same unless it is given.
 */
export default async function setUpTestRun() {
  process.env.TOLLGATE_RUN_FOLDER = runFolder;
  const given = process.env.TEST_MYSQL_URL ?? '';
  if (given !== '') {
    process.env.TEST_MYSQL_ADMIN_URL ??= given;
    process.env.TEST_MYSQL_PRODUCT = await readProduct(given);
    return;
  }
  server = await startPrivateDatabaseServer();
  if (server === null && process.env.CI === 'true') {
    throw new Error('CI is set, and this machine has neither mariadbd nor mysqld.');
  }
  if (server === null) return;
  process.env.TEST_MYSQL_URL = server.url;
  // What is left on it goes with it.
  process.env.TEST_MYSQL_OWN_URL = server.url;
  process.env.TEST_MYSQL_ADMIN_URL = server.adminUrl;
  process.env.TEST_MYSQL_PRODUCT = server.product;
}

/** @param {string} url @returns {Promise<'MariaDB' | 'MySQL'>} */
async function readProduct(url) {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    return /mariadb/i.test(JSON.stringify(rows)) ? 'MariaDB' : 'MySQL';
  } finally {
    await connection.end();
  }
}

/** Stops what the set-up started, and removes the folders of the run's tests; `jest-global-teardown.mjs` calls it. */
export async function endTestRun() {
  await server?.stop();
  for (const above of ['/dev/shm', tmpdir()]) await rm(join(above, runFolder), { recursive: true, force: true });
}
