import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './run-step.mjs';
import { outDir } from './test-files.mjs';

/*
 * Which suites a change can break first: those that lie beside a changed file, that import it, that import a file which does, or, where
 * it is no module, such as `schema.graphql`, that name it. Further away the whole server hangs together, and nearly every suite would
 * be named.
 */

/** @typedef {ReadonlyMap<string, string>} SourceTree path, seen from the project's folder -> text */
/** @typedef {(path: string, text: string) => readonly { target: string, isOurs: boolean }[]} ListImports targets without extension */

/**
 * Files that differ from what is shared: changed since this branch left the main one of `origin`, and not committed yet. Empty on a
 * fresh clone, and without git. @returns {string[]} seen from the project's folder
 */
function listChangedFiles() {
  const base = ['origin/HEAD', 'origin/main', 'main']
    .map((branch) => git(['merge-base', 'HEAD', branch]))
    .find(Boolean);
  const changed = git(['diff', '--name-only', '--relative', '-z', base ?? 'HEAD']);
  const added = git(['ls-files', '--others', '--exclude-standard', '-z']);
  return `${changed}${added}`.split('\0').filter((file) => file !== '');
}

/** @param {string[]} words @returns {string} what it printed; empty when it failed */
function git(words) {
  try {
    return execFileSync('git', words, {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trimEnd();
  } catch {
    return '';
  }
}

/** The suites that what is changed now can break first. The server must be compiled. @returns {Promise<string[]>} sorted */
export async function listSuitesNearChanges() {
  const changed = listChangedFiles();
  if (changed.length === 0) return [];
  /** @type {{ readSourceTree(root: string): SourceTree, listImports: ListImports }} */
  const { readSourceTree, listImports } = await import(
    pathToFileURL(join(projectRoot, outDir, 'server/test/architecture/source-tree.js')).href
  );
  return findNearbySuites(changed, readSourceTree(projectRoot), listImports);
}

/** @param {readonly string[]} changed @param {SourceTree} tree @param {ListImports} listImports @returns {string[]} sorted */
export function findNearbySuites(changed, tree, listImports) {
  const importersOf = findImporters(tree, listImports);
  const near = new Set(changed);
  for (const file of changed) {
    for (const importer of importersOf.get(file) ?? []) {
      near.add(importer);
      for (const second of importersOf.get(importer) ?? []) near.add(second);
    }
  }
  const folders = new Set(changed.filter((file) => !file.includes('/test/')).map((file) => dirname(file)));
  const named = changed.filter((file) => !isModule(file));
  const isNear = (/** @type {string} */ file, /** @type {string} */ text) =>
    near.has(file) || folders.has(dirname(file)) || named.some((name) => text.includes(name));
  return [...tree].flatMap(([file, text]) => (isTest(file) && isNear(file, text) ? [file] : [])).sort();
}

/** @param {SourceTree} tree @param {ListImports} listImports @returns {ReadonlyMap<string, readonly string[]>} file -> those that import it */
function findImporters(tree, listImports) {
  const fileOf = new Map([...tree.keys()].map((file) => [file.replace(/\.tsx?$/, ''), file]));
  /** @type {Map<string, string[]>} */
  const importersOf = new Map();
  for (const [file, text] of tree) {
    for (const { target, isOurs } of isModule(file) ? listImports(file, text) : []) {
      const imported = isOurs ? fileOf.get(target) : undefined;
      if (imported !== undefined) importersOf.set(imported, [...(importersOf.get(imported) ?? []), file]);
    }
  }
  return importersOf;
}

/** @param {string} file */
function isModule(file) {
  return /\.tsx?$/.test(file);
}

/** @param {string} file */
function isTest(file) {
  return /\.test\.tsx?$/.test(file);
}
