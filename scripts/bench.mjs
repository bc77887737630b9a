import './check-node-version.mjs';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAndBuild } from './prepare.mjs';
import { startPrivateDatabaseServer } from './private-database-server.mjs';
import { projectRoot, runStep, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run bench -- ledger`: measures with a MariaDB of its own, whose data lies on a disk and not in memory, since durable
 * commits are the point. `BENCH_NODE=/path/to/node` measures on that Node.js.
 */
process.chdir(projectRoot);
stopStepsOnSignal();
try {
  const otherNode = findOtherNode();
  if (otherNode === null) await installBuildAndMeasure();
  else await handOverTo(otherNode);
} catch (error) {
  if (!(error instanceof StepFailedError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function installBuildAndMeasure() {
  await installAndBuild('test');
  // What a browser shows does not depend on the database behind it, and what strangers learn is measured on SQLite.
  const mariadb = ['screens', 'sign-in'].includes(process.argv[2] ?? '')
    ? null
    : await startPrivateDatabaseServer({ isOnDisk: true });
  try {
    await runStep({
      title: 'The measurement',
      command: [process.execPath, '--enable-source-maps', 'dist/bench/main.js', ...process.argv.slice(2)],
      env: mariadb ? { BENCH_MYSQL_URL: mariadb.adminUrl } : {},
    });
  } finally {
    await mariadb?.stop();
  }
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
