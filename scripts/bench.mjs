import './check-node-version.mjs';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBothDatabaseServers } from './find-database-server.mjs';
import { installAndBuild } from './prepare.mjs';
import { startPrivateDatabaseServer } from './private-database-server.mjs';
import { runScript, runStep } from './run-step.mjs';

/*
 * `npm run bench -- ledger`: measures with a MariaDB of its own, or the MySQL that `MYSQLD` names, whose data lies on a disk and
 * not in memory, since durable commits are the point; `gateway` measures with both. `BENCH_NODE=/path/to/node` measures on that
 * Node.js.
 */
await runScript(async () => {
  const otherNode = findOtherNode();
  if (otherNode === null) await installBuildAndMeasure();
  else await handOverTo(otherNode);
});

async function installBuildAndMeasure() {
  await installAndBuild('test');
  const servers = await startServers();
  const [first, second] = servers;
  try {
    await runStep({
      title: 'The measurement',
      command: [process.execPath, '--enable-source-maps', 'dist/bench/main.js', ...process.argv.slice(2)],
      env: {
        ...(first ? { BENCH_MYSQL_URL: first.adminUrl } : {}),
        ...(second ? { BENCH_SECOND_MYSQL_URL: second.adminUrl } : {}),
      },
    });
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function startServers() {
  const name = process.argv[2] ?? '';
  // What a browser shows does not depend on the database behind it, and what strangers learn is measured on SQLite.
  if (['screens', 'sign-in'].includes(name)) return [];
  if (name === 'gateway' && process.env.BENCH_DATABASE === 'sqlite') return [];
  const servers = [];
  for (const program of name === 'gateway' ? listBothPrograms() : [undefined]) {
    const server = await startPrivateDatabaseServer({ program, isOnDisk: true });
    if (server !== null) servers.push(server);
  }
  return servers;
}

function listBothPrograms() {
  const { mariadb, mysql } = findBothDatabaseServers();
  return [mariadb, mysql].flatMap((server) => (server === null ? [] : [server.program]));
}

/** The Node.js that was asked for; null when that is this one. */
function findOtherNode() {
  const wanted = process.env.BENCH_NODE ?? '';
  if (wanted === '') return null;
  if (!existsSync(wanted)) {
    console.error(`BENCH_NODE is ${wanted}, and there is no such program.`);
    process.exit(2);
  }
  const node = realpathSync(wanted);
  return node === realpathSync(process.execPath) ? null : node;
}

/**
 * All of it over again with another Node.js: a native module fits one version only, so it installs the packages for itself.
 * @param {string} node
 */
async function handOverTo(node) {
  const folder = dirname(node);
  const headers = dirname(folder);
  await runStep({
    title: `The measurement on ${node}`,
    command: [node, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    env: {
      BENCH_NODE: '',
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      // What is compiled has to be compiled for it.
      ...(existsSync(join(headers, 'include/node/node.h')) ? { npm_config_nodedir: headers } : {}),
    },
  });
}
