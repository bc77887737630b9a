import { findBothDatabaseServers, findDatabaseServer, nameDatabaseServer } from './find-database-server.mjs';
import { listTestFiles } from './test-files.mjs';
import { listFilesForSecondServer, listFilesOffMysql, listFilesOfSecondServerAlone } from './test-turns.mjs';

/*
 * On which databases a run of the tests goes, and what of it. The long run goes on SQLite and MariaDB with everything, and once
 * more on MySQL with what moves money or rests on the server, where there is a MySQL: `MYSQLD` names it, or it is the machine's.
 * In a run with an end to its time, such as CI, what moves money is on one of both servers, half of it on each.
 */

/**
 * @typedef {object} DatabasePass
 * @property {string} what the databases, and what runs on them
 * @property {readonly string[]} projects of Jest
 * @property {readonly string[]} notRun test files that are left to another pass
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * @param {{ isLong: boolean, namesFiles: boolean, turn: number | null }} run with whose turn it is in this run; null: everybody's
 * @returns {{ passes: DatabasePass[], outside: string[] }} with what is left out, one line each
 */
export function planDatabasePasses({ isLong, namesFiles, turn }) {
  const given = process.env.TEST_MYSQL_URL ?? '';
  const whole = { projects: ['server', 'web', 'e2e'], notRun: [] };
  if (given !== '') return onePass({ ...whole, what: 'SQLite and the server of TEST_MYSQL_URL', env: {} });
  if (!isLong || namesFiles) {
    const server = findDatabaseServer();
    const what = server === null ? 'SQLite' : `SQLite and ${nameDatabaseServer(server)}`;
    return onePass({ ...whole, what, env: {} });
  }
  const { mariadb, mysql } = findBothDatabaseServers();
  const first = mariadb ?? mysql;
  const what = first === null ? 'SQLite' : `SQLite and ${nameDatabaseServer(first)}`;
  const everywhere = { ...whole, what, env: first === null ? {} : { MYSQLD: first.program } };
  const outside = [
    ...(mysql === null ? ['money, migrations, keys and limits on MySQL; with a MySQL: MYSQLD=/path/to/mysqld'] : []),
    ...(mariadb === null ? ['the MariaDB half of every database suite; needs mariadbd'] : []),
  ];
  if (mariadb === null || mysql === null) return { passes: [everywhere], outside };
  const again = listFilesForSecondServer(turn);
  const onMysql = {
    what: `${nameDatabaseServer(mysql)}: money, migrations, keys and limits, ${again.length} suites`,
    projects: ['server'],
    notRun: listTestFiles().filter((file) => !again.includes(file)),
    env: { MYSQLD: mysql.program, TOLLGATE_TEST_DATABASES: 'server' },
  };
  if (turn === null) return { passes: [everywhere, onMysql], outside };
  const beside = {
    ...everywhere,
    notRun: listFilesOfSecondServerAlone(turn),
    env: { ...everywhere.env, TOLLGATE_SECOND_SERVER: 'yes' },
  };
  return { passes: [beside, onMysql], outside: [...outside, ...describeHalves(turn)] };
}

/** @param {number} turn @returns {string[]} */
function describeHalves(turn) {
  const onMysql = listFilesForSecondServer().length - listFilesForSecondServer(turn).length;
  const onMariadb = listFilesOffMysql('all', turn, true).length - listFilesOffMysql('all', turn).length;
  return [
    `the MySQL half of suites whose turn it is on MariaDB: ${onMysql} suite(s); npm run test:all`,
    `the MariaDB half of suites whose turn it is on MySQL: ${onMariadb} suite(s); npm run test:all`,
  ];
}

/** @param {DatabasePass} pass @returns {{ passes: DatabasePass[], outside: string[] }} */
function onePass(pass) {
  return { passes: [pass], outside: [] };
}
