import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { installAndBuild } from './prepare.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/**
 * Runs one of the server's checks on the database that `npm start` would use, built first where that is needed. The check
 * sets the exit status; a build that failed makes it 2, as for any check that could not look.
 *
 * @param {string} name the compiled file in `dist/server/`, without its ending
 */
export async function runCheck(name) {
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
  await import(pathToFileURL(`${projectRoot}/dist/server/${name}.js`).href);
}
