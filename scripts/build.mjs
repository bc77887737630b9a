import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageProgram, projectRoot, runStep } from './run-step.mjs';

/** @typedef {{ givesWay?: boolean }} BuildOptions `givesWay` leaves the processor to what is under way beside it */

/**
 * Compiles what serves, and neither tests nor benches, into `dist/`. The types are not checked, which makes the same code in a third
 * of the time: `compileAll` checks them, for every test run and for `npm run dev`.
 * @param {BuildOptions} [options]
 */
export async function compileServer(options) {
  await compile(['--project', 'tsconfig.serve.json', '--noCheck'], options);
}

/** Compiles the server, its tests, the journeys and the benches into `dist/`. Needs the packages of `test-packages/`. @param {BuildOptions} [options] */
export async function compileAll(options) {
  await compile(['--project', 'tsconfig.json'], options);
}

/** @param {readonly string[]} words @param {BuildOptions} [options] */
async function compile(words, options) {
  // What was compiled from files that are gone now must go too: Jest would run it.
  for (const folder of ['server', 'bundle', 'e2e', 'bench'])
    rmSync(join(projectRoot, 'dist', folder), { recursive: true, force: true });
  const command = [...packageProgram('typescript', 'tsc'), ...words];
  await runStep({ title: 'Compiling the server', command, isQuiet: true, ...options });
  const joinFiles = [process.execPath, 'scripts/bundle-server.mjs'];
  await runStep({ title: 'Joining the files of the server', command: joinFiles, isQuiet: true, ...options });
}

/** Builds the dashboard into `dist/web/` by Vite, without a look at its types. @param {BuildOptions} [options] */
export async function buildDashboard(options) {
  const command = [...packageProgram('vite'), 'build', 'web', '--logLevel', 'warn'];
  await runStep({ title: 'Building the dashboard', command, isQuiet: true, ...options });
}

/**
 * Makes the dashboard's types of the GraphQL contract from `schema.graphql`, for its tests, its type check and `npm run dev`. Needs the
 * packages of `test-packages/`. @param {BuildOptions} [options]
 */
export async function generateWebTypes(options) {
  const command = [process.execPath, 'scripts/generate-web-types.mjs'];
  await runStep({ title: 'Generating the GraphQL types', command, isQuiet: true, ...options });
}
