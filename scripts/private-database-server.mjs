/*
 * Keeps one private MySQL or MariaDB server for a test run: own temporary folder, random port on 127.0.0.1, nothing shared
 * with a server that the machine may have. Started by `startPrivateDatabaseServer`; it lives exactly as long as its standard
 * input is open, so it goes, folder and all, however the test run ends: done, failed, Ctrl-C or killed. Its first line is a
 * `ServerAddress` in JSON. A line `kill` on its standard input kills the server as a power cut would, `start` starts it again on
 * the same data; each is answered by `done`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findDatabaseServer, withoutDefaults } from './find-database-server.mjs';
import { findProgram } from './find-program.mjs';

/** @typedef {import('./find-database-server.mjs').DatabaseServer} DatabaseServer */

const startTimeoutMs = 60_000;
const startAttemptsMax = 3;
const memoryFolderBytesMin = 1024 ** 3;
/** Handed on to the server as they are. */
const givenOptions = process.argv.slice(2).filter((word) => word !== '--on-disk' && word !== '--');

/**
 * What an operator is told to grant (docs/operations/databases.md), and nothing more; a test compares the two.
 */
const documentedGrants = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP, REFERENCES, TRIGGER';

/**
 * `url` is of an ordinary user with the documented grants on databases named `tollgate_…`, which it may make; `adminUrl` of
 * one who may do everything. Both are without a database name.
 * @typedef {{ url: string, adminUrl: string, product: 'MariaDB' | 'MySQL' }} ServerAddress
 */

/**
 * Starts the server in a process of its own.
 * @param {object} [wanted]
 * @param {string | undefined} [wanted.program] which server; left out: the one that `MYSQLD` names, or this machine's
 * @param {boolean} [wanted.isOnDisk] where the time that a sync takes is the point
 * @param {readonly string[]} [wanted.options] further ones of the server, such as `--lower-case-table-names=1`
 * @returns {Promise<ServerAddress & { stop: () => Promise<void> } | null>} null when the machine has neither MariaDB nor
 * MySQL. Throws when it has one that does not start.
 */
export async function startPrivateDatabaseServer({ program, isOnDisk = false, options = [] } = {}) {
  if (program === undefined && findDatabaseServer() === null) return null;
  // Detached: Ctrl-C in a terminal reaches a whole process group, and the keeper must outlive it to clean up.
  const words = [...(isOnDisk ? ['--on-disk'] : []), ...options];
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), ...words], {
    env: { ...process.env, ...(program === undefined ? {} : { MYSQLD: program }) },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = new Promise((resolve) => keeper.once('exit', resolve));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: keeper.stdout }).once('line', resolve);
    keeper.once('error', reject);
    keeper.once('exit', () =>
      reject(new Error('The private database server did not start; its own words stand above.')),
    );
  });
  return {
    .../** @type {ServerAddress} */ (JSON.parse(String(line))),
    stop: async () => {
      keeper.stdin.end();
      await exited;
    },
  };
}

async function keepServer() {
  const chosen = findDatabaseServer();
  if (chosen === null) throw new Error('This machine has neither MariaDB nor MySQL.');
  const folder = mkdtempSync(
    join(process.argv.includes('--on-disk') ? tmpdir() : chooseFolder(), 'tollgate-database-'),
  );
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  /** @type {import('node:child_process').ChildProcess | null} */
  let server = null;
  // SIGKILL: nobody will read this data again, so an orderly shutdown would only cost time.
  process.stdin.resume().once('close', () => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) process.exit();
    server.kill('SIGKILL');
  });
  process.on('exit', removeFolder);

  const password = randomBytes(12).toString('hex');
  installSystemTables(chosen, folder);
  writeUsers(folder, password);
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    server = spawnServer(chosen, folder, port);
    const failure = await waitUntilReady(server);
    if (failure === null) {
      server.once('exit', exitWithServer);
      const address = {
        url: `mysql://tollgate:${password}@127.0.0.1:${port}`,
        adminUrl: `mysql://tollgate_admin:${password}@127.0.0.1:${port}`,
        product: chosen.product,
      };
      process.stdout.write(`${JSON.stringify(address)}\n`);
      createInterface({ input: process.stdin }).on('line', (order) => void obey(order, { chosen, port }));
      return;
    }
    if (process.stdin.closed || attempt === startAttemptsMax) throw new Error(failure);
  }

  /** @param {string} order @param {{ chosen: DatabaseServer, port: number }} where */
  async function obey(order, { chosen, port }) {
    if (order === 'kill') {
      const ended = new Promise((resolve) => server?.off('exit', exitWithServer).once('exit', resolve));
      server?.kill('SIGKILL');
      await ended;
    } else {
      server = spawnServer(chosen, folder, port);
      const failure = await waitUntilReady(server);
      if (failure !== null) throw new Error(failure);
      server.once('exit', exitWithServer);
    }
    process.stdout.write('done\n');
  }
}

function exitWithServer() {
  process.exit();
}

// Memory makes the durable commits of a test run cheap; containers often have too little of it there.
function chooseFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize >= memoryFolderBytesMin) return '/dev/shm';
  } catch {
    // Not Linux.
  }
  return tmpdir();
}

/** @param {DatabaseServer} server @param {string} folder */
function installSystemTables(server, folder) {
  const data = `--datadir=${join(folder, 'data')}`;
  // This one is about the files, and must be so from the start.
  const shapeOptions = givenOptions.filter((option) => option.startsWith('--lower-case-table-names'));
  const [program, words] =
    server.product === 'MySQL'
      ? [server.program, [...withoutDefaults(server), '--initialize-insecure', data, ...userOption(), ...shapeOptions]]
      : [
          findInstaller(),
          ['--no-defaults', data, '--skip-test-db', `--tmpdir=${folder}`, ...userOption(), ...shapeOptions],
        ];
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: startTimeoutMs });
  if (status !== 0) throw new Error(`${program} failed:\n${stdout}\n${stderr}`);
}

function findInstaller() {
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  if (installer === null) throw new Error('mariadbd is here, but mariadb-install-db is not.');
  return installer;
}

/** @param {string} folder @param {string} password */
function writeUsers(folder, password) {
  const statements = [
    `CREATE USER IF NOT EXISTS tollgate_admin@'127.0.0.1' IDENTIFIED BY '${password}'`,
    `GRANT ALL ON *.* TO tollgate_admin@'127.0.0.1' WITH GRANT OPTION`,
    `CREATE USER IF NOT EXISTS tollgate@'127.0.0.1' IDENTIFIED BY '${password}'`,
    `GRANT ${documentedGrants} ON \`tollgate\\_%\`.* TO tollgate@'127.0.0.1'`,
  ];
  writeFileSync(join(folder, 'init.sql'), statements.map((statement) => `${statement};\n`).join(''));
}

/** @param {DatabaseServer} server @param {string} folder @param {number} port */
function spawnServer(server, folder, port) {
  // Durability stays at the strict default (innodb_flush_log_at_trx_commit=1, on MySQL with its binary log and
  // sync_binlog=1): the tests rest on it.
  const options = [
    ...withoutDefaults(server),
    `--datadir=${join(folder, 'data')}`,
    `--socket=${join(folder, 'server.sock')}`,
    `--pid-file=${join(folder, 'server.pid')}`,
    `--init-file=${join(folder, 'init.sql')}`,
    // A server that starts clears its folder for temporary files of what an earlier one has left, or another one still uses.
    `--tmpdir=${folder}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--max-connections=500',
    '--innodb-buffer-pool-size=128M',
    // Neither is used, and each costs memory and time.
    ...(server.product === 'MySQL' ? ['--mysqlx=OFF', '--performance-schema=OFF'] : []),
    ...userOption(),
    ...givenOptions,
  ];
  return spawn(server.program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function userOption() {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

/**
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string | null>} what went wrong, if anything did
 */
function waitUntilReady(server) {
  return new Promise((resolve) => {
    let log = '';
    const timer = setTimeout(() => server.kill('SIGKILL'), startTimeoutMs);
    const finish = (/** @type {string | null} */ failure) => {
      clearTimeout(timer);
      resolve(failure);
    };
    server.stderr?.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-20_000);
      if (log.includes('ready for connections')) finish(null);
    });
    server.once('error', (error) => finish(`The database server could not be started: ${error.message}`));
    server.once('exit', () => finish(`The database server ended while starting:\n${log}`));
  });
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await keepServer();
