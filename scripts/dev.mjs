import './check-node-version.mjs';
import { failToStart } from './make-ready.mjs';
import { installAndBuild } from './prepare.mjs';
import { readEnvFile } from './read-env-file.mjs';
import { packageProgram, projectRoot, runStep, stopAllSteps, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run dev`: the server restarts and the dashboard reloads when a file changes. The API is on PORT (8080), the
 * dashboard on Vite's own port, which it prints. The first program that ends takes the others with it.
 */
process.chdir(projectRoot);
stopStepsOnSignal();
await installAndBuild('test');
try {
  readEnvFile();
} catch (error) {
  failToStart(error, 1);
}

const programs = [
  { title: 'tsc', command: [...packageProgram('typescript', 'tsc'), '--watch', '--preserveWatchOutput'] },
  { title: 'codegen', command: [process.execPath, 'scripts/generate-web-types.mjs', '--watch'] },
  { title: 'server', command: [process.execPath, '--enable-source-maps', '--watch', 'dist/server/main.js'] },
  { title: 'vite', command: [...packageProgram('vite'), 'web', '--clearScreen', 'false'] },
];
try {
  await Promise.race(programs.map(runStep));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
await stopAllSteps();
