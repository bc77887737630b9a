import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmProgram, projectRoot, runStep, secondsSince } from './run-step.mjs';

const folder = 'e2e/clients';
const stampFile = join(projectRoot, folder, 'node_modules', '.tollgate-installed');

/**
 * Installs the OpenAI clients that the client matrix drives, unless those of this very lockfile are in place. They are a
 * package of their own, so that whoever only starts the server does not pay for them.
 */
export async function installClientPackages() {
  const lockfile = readFileSync(join(projectRoot, folder, 'package-lock.json'), 'utf8');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfile) return;
  console.log('Installing the OpenAI clients that the tests drive …');
  const startedMs = performance.now();
  const command = [...npmProgram(), 'ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  await runStep({ title: `npm ci in ${folder}`, command, isQuiet: true });
  writeFileSync(stampFile, lockfile);
  console.log(`Installed in ${secondsSince(startedMs)}.`);
}
