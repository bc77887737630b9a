import './check-node-version.mjs';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installAndBuild } from './prepare.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm start`: from whatever state the clone is in to a running server. The server runs in this very process, so signals
 * reach it and its exit code is the one that the caller sees. Under a supervisor that waits for a graceful end, run this
 * file itself: npm ends at once when it is told to stop, and does not wait for the server.
 */
try {
  process.chdir(projectRoot);
  const releaseSignals = stopStepsOnSignal();
  await installAndBuild();
  releaseSignals();
} catch (error) {
  if (!(error instanceof StepFailedError)) throw error;
  console.error(error.message);
  process.exit(1);
}

// From Node.js 22 on, the next start need not compile what this one loads.
const { enableCompileCache } = /** @type {{ enableCompileCache?: (folder: string) => unknown }} */ (
  /** @type {unknown} */ (module)
);
enableCompileCache?.(join(projectRoot, '.build', 'compile-cache'));
// Values that the environment has already win over those of the file.
if (existsSync('.env')) process.loadEnvFile('.env');
process.setSourceMapsEnabled(true);
if (process.env.npm_lifecycle_event === 'start') stopWithParent();
await import(pathToFileURL(`${projectRoot}/dist/server/main.js`).href);

// npm hands SIGTERM to the shell between it and us, and that shell dies without passing it on.
function stopWithParent() {
  const parentId = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parentId) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
