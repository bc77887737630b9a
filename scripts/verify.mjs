import './check-node-version.mjs';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { installAndBuild } from './prepare.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run ledger:verify`: proves the books of the database that `npm start` would use. Its exit status is the answer: 0 the
 * ledger adds up, 1 something is broken, 2 it could not look, which includes a build that failed.
 */
try {
  process.chdir(projectRoot);
  const releaseSignals = stopStepsOnSignal();
  await installAndBuild();
  releaseSignals();
} catch (error) {
  console.error(error instanceof StepFailedError ? error.message : error);
  process.exit(2);
}

if (existsSync('.env')) process.loadEnvFile('.env');
process.setSourceMapsEnabled(true);
await import(pathToFileURL(`${projectRoot}/dist/server/verify.js`).href);
