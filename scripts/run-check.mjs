import { failToStart, makeReady, runBuilt } from './make-ready.mjs';
import { readEnvFile } from './read-env-file.mjs';
import { projectRoot } from './run-step.mjs';

/**
 * Runs one of the server's checks on the database that `npm start` would use, built first where that is needed and this is not
 * production. The check sets the exit status; a build that failed or is missing makes it 2, as for any check that could not look.
 *
 * @param {string} name the compiled file in `dist/server/cli/`, without its ending
 */
export async function runCheck(name) {
  try {
    process.chdir(projectRoot);
    readEnvFile();
    await makeReady();
  } catch (error) {
    failToStart(error, 2);
  }
  await runBuilt(`cli/${name}`);
}
