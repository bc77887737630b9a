import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { programEntry } from './program-entry.mjs';
import { projectRoot } from './run-step.mjs';

/*
 * Joins what the server's program imports, packages included, to few files in `dist/bundle/main/`: a start then reads those instead of
 * two thousand, one after the other, and takes half the time. `dist/server/main.js` becomes two lines that import the result, so
 * that every way to start the server gets it. The same is done for the operator's commands, in `dist/bundle/tollgate/`. The files in
 * `dist/server/` stay: threads, tests and the other programs load them one by one, as `main-single.js` does.
 */

const serverFolder = join(projectRoot, 'dist', 'server');
const bundleFolder = join(projectRoot, 'dist', 'bundle');
const programs = ['main', 'cli/tollgate'];

/** Their native part is found beside their own files. */
const nativePackages = /^(@node-rs\/argon2|better-sqlite3|better-sqlite3-newer)$/;

rmSync(bundleFolder, { recursive: true, force: true });
await Promise.all(programs.map(joinProgram));

/** @param {string} name the file, seen from `dist/server/`, without its ending */
async function joinProgram(name) {
  const program = join(serverFolder, `${name}.js`);
  const folder = join(bundleFolder, basename(name));
  const build = await rolldown({
    input: program,
    platform: 'node',
    // Two copies would refuse each other's schemas, and packages ask for it in two forms.
    resolve: { alias: { graphql: join(projectRoot, 'node_modules', 'graphql', 'index.js') } },
    plugins: [
      { name: 'own files', load: (id) => loadOwnFile(id, folder) },
      { name: 'not joined', resolveId: leaveOutside },
    ],
  });
  try {
    const groups = [{ name: nameOfGroup(program), debugName: 'packages' }];
    await build.write({ dir: folder, format: 'esm', sourcemap: true, codeSplitting: { groups } });
  } finally {
    await build.close();
  }
  removePackageMaps(folder);
  // For who puts something else in the place of one of the files: a bench.
  renameSync(program, join(dirname(program), `${basename(name)}-single.js`));
  const joined = relative(dirname(program), join(folder, basename(program))).replaceAll(sep, '/');
  writeFileSync(program, programEntry(joined));
}

/**
 * A file of ours finds the files beside it by where it lies itself, and goes on doing so.
 * @param {string} id
 * @param {string} folder where the joined files will lie
 */
function loadOwnFile(id, folder) {
  if (!id.startsWith(serverFolder + sep)) return null;
  const urlOf = (/** @type {string} */ place) => {
    const text = relative(folder, place).replaceAll(sep, '/');
    return `new URL(${JSON.stringify(text)}, import.meta.url)`;
  };
  const code = readFileSync(id, 'utf8')
    .replaceAll('import.meta.url', `${urlOf(id)}.href`)
    .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:url').fileURLToPath(${urlOf(dirname(id))})`);
  return { code, map: existsSync(`${id}.map`) ? readFileSync(`${id}.map`, 'utf8') : null };
}

/**
 * Native packages, and what is not installed: packages try what they can do without, and take its absence.
 * @this {import('rolldown').PluginContext}
 * @param {string} source
 * @param {string | undefined} importer
 * @param {{ kind: import('rolldown').ImportKind }} how
 */
async function leaveOutside(source, importer, how) {
  if (nativePackages.test(source)) return { id: source, external: true };
  if (importer === undefined || /^[./]|^node:/.test(source)) return null;
  const found = await this.resolve(source, importer, { kind: how.kind, skipSelf: true });
  return found === null ? { id: source, external: true } : null;
}

/** What the start itself reads of packages is one file, beside that of ours; what is asked for later stays apart. @param {string} program */
function nameOfGroup(program) {
  /** @type {Set<string> | null} */
  let readAtStart = null;
  /** @type {(id: string, context: import('rolldown').ChunkingContext) => string | null} */
  return (id, context) => {
    readAtStart ??= listStatic(program, context);
    return isOfPackage(id) && readAtStart.has(id) ? 'packages' : null;
  };
}

/** @param {string} program @param {import('rolldown').ChunkingContext} context */
function listStatic(program, context) {
  const found = new Set([program]);
  for (const id of found) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** @param {string} id */
function isOfPackage(id) {
  return id.includes(`${sep}node_modules${sep}`);
}

/** A stack names lines of our sources. Reading where the lines of packages come from would cost each start more than all else. @param {string} folder */
function removePackageMaps(folder) {
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.js.map')) continue;
    const map = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (map.sources.some((/** @type {string} */ source) => !source.includes('node_modules'))) continue;
    rmSync(join(folder, file));
    const code = join(folder, file.slice(0, -'.map'.length));
    writeFileSync(code, readFileSync(code, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
  }
}
