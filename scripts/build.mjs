import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageProgram, projectRoot, runStep } from './run-step.mjs';

/**
 * Builds everything into `dist/`: the server, its tests, the journeys and the benches by `tsc`, the dashboard by Vite. Its
 * types of the GraphQL contract are made from `schema.graphql` first, so neither half waits for the other.
 */
export async function build() {
  const outcomes = await Promise.allSettled([buildServer(), buildDashboard()]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function buildServer() {
  // What was compiled from files that are gone now must go too: Jest would run it.
  for (const folder of ['server', 'e2e', 'bench'])
    rmSync(join(projectRoot, 'dist', folder), { recursive: true, force: true });
  await runStep({ title: 'Compiling the server', command: [...packageProgram('typescript', 'tsc')], isQuiet: true });
}

async function buildDashboard() {
  await generateWebTypes();
  const command = [...packageProgram('vite'), 'build', 'web', '--logLevel', 'warn'];
  await runStep({ title: 'Building the dashboard', command, isQuiet: true });
}

/** Writes `web/src/gql/`: the types of every GraphQL operation of the dashboard. */
export async function generateWebTypes() {
  const command = packageProgram('@graphql-codegen/cli', 'graphql-codegen');
  await runStep({ title: 'Generating the GraphQL types', command, folder: 'web', isQuiet: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
