import './check-node-version.mjs';
import { installAndBuild } from './prepare.mjs';
import { startPrivateMariadb } from './private-mariadb.mjs';
import { projectRoot, runStep, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run bench -- ledger`: measures with a MariaDB of its own, whose data lies on a disk and not in memory, since durable
 * commits are the point.
 */
process.chdir(projectRoot);
stopStepsOnSignal();
try {
  await installAndBuild();
  const mariadb = await startPrivateMariadb({ isOnDisk: true });
  try {
    await runStep({
      title: 'The measurement',
      command: [process.execPath, '--enable-source-maps', 'dist/bench/main.js', ...process.argv.slice(2)],
      env: mariadb ? { BENCH_MYSQL_URL: mariadb.url } : {},
    });
  } finally {
    await mariadb?.stop();
  }
} catch (error) {
  if (!(error instanceof StepFailedError)) throw error;
  console.error(error.message);
  process.exit(1);
}
