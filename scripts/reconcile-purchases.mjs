import './check-node-version.mjs';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { installAndBuild } from './prepare.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run purchases:reconcile`: posts what Stripe's webhook never told us, in the database that `npm start` would use. Exit
 * status: 0 all agrees now, 1 something does not fit, 2 it could not look, which includes a build that failed.
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
await import(pathToFileURL(`${projectRoot}/dist/server/reconcile.js`).href);
