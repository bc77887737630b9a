import './check-node-version.mjs';
import { parseArgs } from 'node:util';
import { measureWaitFactor } from './measure-slowdown.mjs';
import { installAndBuild } from './prepare.mjs';
import { packageProgram, runScript, runStep } from './run-step.mjs';
import { addTestPrograms } from './test-programs.mjs';

/*
 * `npm run test:crash`: the suites of `e2e/crash/` at full length, about a quarter of an hour. The server is killed under load
 * 100 times on each database and 20 times together with MariaDB; the database goes away for a minute under 200 streams; the disk
 * fills up 10 times, is read-only once, and breaks under the server in six ways, where the machine lets a test mount one (with
 * CI=true it has to); the server is left without file descriptors, and killed as the last byte of an answer arrives; what seals
 * secrets anew, removes old receipts and moves a database is killed 20 times each. Limits are stretched by how slow the machine is.
 * `npm run test:crash -- --cycles 10 --seed 7` makes it shorter, and repeats the random choices of an earlier run.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    'database-cycles': { type: 'string', default: '20' },
    'disk-cycles': { type: 'string', default: '10' },
    'outage-seconds': { type: 'string', default: '60' },
    streams: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});

await runScript(async () => {
  await addTestPrograms({ isCi: process.env.CI === 'true' });
  await installAndBuild('test');
  const jest = [...packageProgram('jest'), '--selectProjects', 'e2e', '--runInBand', '--verbose'];
  console.log(`The seed is ${values.seed}.`);
  await runStep({
    title: 'The crash suites',
    command: [...jest, '--testPathPatterns', 'e2e/crash/'],
    env: {
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
      CRASH_CYCLES: values.cycles,
      CRASH_DATABASE_CYCLES: values['database-cycles'],
      CRASH_SEED: values.seed,
      DISK_CYCLES: values['disk-cycles'],
      OUTAGE_SECONDS: values['outage-seconds'],
      OUTAGE_STREAMS: values.streams,
      TOLLGATE_WAIT_FACTOR: String(await measureWaitFactor()),
    },
  });
});
