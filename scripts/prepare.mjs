import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { npmProgram, projectRoot, runStep, secondsSince } from './run-step.mjs';

// A native module fits one version of Node's binary interface, so another Node.js means a new installation.
const runtime = `${process.platform}-${process.arch}-${process.versions.modules}`;
const installStampFile = join(projectRoot, 'node_modules', '.tollgate-installed');
const buildStampFile = join(projectRoot, 'dist', '.tollgate-built');

const sources = [
  'server',
  'e2e',
  'bench',
  'web',
  'scripts',
  'ormconfig.ts',
  'schema.graphql',
  'tsconfig.json',
  'package-lock.json',
];
const notSources = ['web/src/gql', 'bench/results', 'e2e/clients/node_modules'];

/** Brings a fresh clone, or one whose sources changed, to where the built server can run. Does nothing when all is current. */
export async function installAndBuild() {
  await installIfNeeded();
  await buildIfNeeded();
}

/** Runs `npm ci` unless the packages of this very lockfile are in place. */
export async function installIfNeeded() {
  const stamp = hashOf([`${runtime}\n`, readFileSync(join(projectRoot, 'package-lock.json'))]);
  if (readStamp(installStampFile) === stamp) return;
  console.log('Installing the packages (once; it may take a minute or two) …');
  const startedMs = performance.now();
  // The build needs development packages even where NODE_ENV=production would leave them out.
  const command = [...npmProgram(), 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Where SQLite has to be compiled, by more than one core.
  await runStep({ title: 'npm ci', command, env: { JOBS: 'max' } });
  writeFileSync(installStampFile, stamp);
  console.log(`Installed in ${secondsSince(startedMs)}.`);
}

/** Builds unless `dist/` was made from these very sources. Compares contents, so a change of branch and back costs nothing. */
export async function buildIfNeeded() {
  const stamp = hashOf(listSourceFiles().flatMap((file) => [`${file}\n`, readFileSync(join(projectRoot, file))]));
  const isBuilt = ['server/main.js', 'web/index.html'].every((file) => existsSync(join(projectRoot, 'dist', file)));
  if (isBuilt && readStamp(buildStampFile) === stamp) return;
  console.log('Building …');
  const startedMs = performance.now();
  rmSync(buildStampFile, { force: true });
  await build();
  writeFileSync(buildStampFile, stamp);
  console.log(`Built in ${secondsSince(startedMs)}.`);
}

function listSourceFiles() {
  const files = sources.flatMap((source) => {
    const entries = source.includes('.')
      ? null
      : readdirSync(join(projectRoot, source), { recursive: true, withFileTypes: true });
    if (entries === null) return [source];
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length + 1));
  });
  return files.filter((file) => !notSources.some((folder) => file.startsWith(folder))).sort();
}

/** @param {readonly (string | Buffer)[]} parts */
function hashOf(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** @param {string} file */
function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
