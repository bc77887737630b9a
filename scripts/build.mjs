import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageProgram, projectRoot, runStep } from './run-step.mjs';

/** Compiles what serves, and neither tests nor benches, into `dist/`. */
export async function compileServer() {
  await compile('tsconfig.serve.json');
}

/** Compiles the server, its tests, the journeys and the benches into `dist/`. Needs the packages of `test-packages/`. */
export async function compileAll() {
  await compile('tsconfig.json');
}

/** @param {string} project */
async function compile(project) {
  // What was compiled from files that are gone now must go too: Jest would run it.
  for (const folder of ['server', 'e2e', 'bench'])
    rmSync(join(projectRoot, 'dist', folder), { recursive: true, force: true });
  const command = [...packageProgram('typescript', 'tsc'), '--project', project];
  await runStep({ title: 'Compiling the server', command, isQuiet: true });
}

/** Builds the dashboard into `dist/web/` by Vite. Its types of the GraphQL contract are made from `schema.graphql` first. */
export async function buildDashboard() {
  const generate = [process.execPath, 'scripts/generate-web-types.mjs'];
  await runStep({ title: 'Generating the GraphQL types', command: generate, isQuiet: true });
  const command = [...packageProgram('vite'), 'build', 'web', '--logLevel', 'warn'];
  await runStep({ title: 'Building the dashboard', command, isQuiet: true });
}
