import './check-node-version.mjs';
import { failToStart, makeReady, runBuilt, stopWithParent } from './make-ready.mjs';
import { readEnvFile } from './read-env-file.mjs';
import { projectRoot } from './run-step.mjs';

/*
 * `npm start`: from whatever state the clone is in to a running server; in production, from what `npm run build` has made. The
 * server runs in this very process, so signals reach it and its exit code is the one that the caller sees. Under a supervisor
 * that waits for a graceful end, run this file itself: npm ends at once when it is told to stop, and does not wait for the server.
 */
try {
  process.chdir(projectRoot);
  readEnvFile();
  await makeReady();
} catch (error) {
  failToStart(error, 1);
}
if (process.env.npm_lifecycle_event === 'start') stopWithParent();
await runBuilt('main');
