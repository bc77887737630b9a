import { startPrivateMariadb } from './private-mariadb.mjs';

/** @type {Awaited<ReturnType<typeof startPrivateMariadb>>} */
let mariadb = null;

/** Gives the database suites of this run a MariaDB of their own; `server/test/each-database.ts` reads its address. */
export default async function setUpTestRun() {
  mariadb = await startPrivateMariadb();
  if (mariadb === null && process.env.CI === 'true') throw new Error('CI is set, and this machine has no mariadbd.');
  if (mariadb !== null) process.env.TEST_MYSQL_URL = mariadb.url;
}

/** Stops what the set-up started; `jest-global-teardown.mjs` calls it. */
export async function stopServers() {
  await mariadb?.stop();
}
