import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmProgram, projectRoot, runStep, secondsSince } from './run-step.mjs';

/** Folders with packages of their own, so that whoever only starts the server does not pay for them. */
const packageFolders = { 'e2e/clients': 'clients', 'e2e/coding-agents': 'coding agents' };

/**
 * Installs the clients that tests drive, unless those of these very lockfiles are in place.
 * @param {readonly string[]} files the test files of the run; what none of them drives is left out
 */
export async function installClientPackages(files) {
  for (const [folder, what] of Object.entries(packageFolders)) {
    if (files.some((file) => file.startsWith(`${folder}/`))) await installFolder(folder, what);
  }
}

/** @param {string} folder @param {string} what */
async function installFolder(folder, what) {
  const stampFile = join(projectRoot, folder, 'node_modules', '.tollgate-installed');
  const lockfile = readFileSync(join(projectRoot, folder, 'package-lock.json'), 'utf8');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfile) return;
  console.log(`Installing the ${what} that the tests drive …`);
  const startedMs = performance.now();
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runStep({ title: `npm ci in ${folder}`, command: [...npmProgram(), 'ci', ...options], isQuiet: true });
  writeFileSync(stampFile, lockfile);
  console.log(`Installed in ${secondsSince(startedMs)}.`);
}
