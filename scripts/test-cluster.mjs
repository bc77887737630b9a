import './check-node-version.mjs';
import { parseArgs } from 'node:util';
import { findDatabaseServer } from './find-database-server.mjs';
import { findProgram } from './find-program.mjs';
import { measureWaitFactor } from './measure-slowdown.mjs';
import { installAndBuild } from './prepare.mjs';
import { packageProgram, projectRoot, runStep, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run test:cluster`: three instances behind HAProxy, on a Group Replication cluster of three MySQL servers and Redis, under
 * load while they are restarted, upgraded and killed, and their database fails over; at the end, one table. Needs HAProxy, Redis
 * and a MySQL with the plugin of Group Replication, which `MYSQLD` may name.
 * `npm run test:cluster -- --calls-per-second 100 --seconds 5` makes it smaller and shorter.
 */
const { values } = parseArgs({
  options: {
    'calls-per-second': { type: 'string', default: '300' },
    seconds: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
});

process.chdir(projectRoot);
stopStepsOnSignal();
try {
  const programs = findPrograms();
  await installAndBuild('test');
  const jest = [...packageProgram('jest'), '--selectProjects', 'e2e', '--runInBand', '--verbose'];
  await runStep({
    title: 'The cluster suite',
    command: [...jest, '--testPathPatterns', 'e2e/cluster/', ...(values.only ? ['-t', values.only] : [])],
    env: {
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
      TOLLGATE_SUITES_LEFT_OUT: '',
      TOLLGATE_WAIT_FACTOR: String(await measureWaitFactor()),
      CLUSTER_MYSQLD: programs.mysqld,
      CLUSTER_HAPROXY: programs.haproxy,
      CLUSTER_CALLS_PER_SECOND: values['calls-per-second'],
      CLUSTER_SECONDS: values.seconds,
    },
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(error instanceof StepFailedError ? error.exitCode : 1);
}

/** @throws with all that is missing, and how to get it */
function findPrograms() {
  const server = findDatabaseServer();
  const mysqld = server?.product === 'MySQL' ? server.program : null;
  const haproxy = findProgram('haproxy');
  const missing = [
    ...(mysqld === null
      ? ['MySQL 8.4 or later with the plugin of Group Replication; name its program: MYSQLD=/path/to/mysqld']
      : []),
    ...(haproxy === null ? ['HAProxy: sudo apt-get install haproxy'] : []),
    ...(findProgram('redis-server') === null ? ['Redis: sudo apt-get install redis-server'] : []),
  ];
  if (mysqld === null || haproxy === null || missing.length > 0) {
    throw new Error(
      `The cluster needs programs that this machine lacks:\n${missing.map((line) => `  - ${line}`).join('\n')}`,
    );
  }
  return { mysqld, haproxy };
}
