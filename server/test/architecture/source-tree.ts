import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Path, relative to the repository and with forward slashes -> text. A test may make one up. */
export type SourceTree = ReadonlyMap<string, string>;

export interface Import {
  /** A path of this repository without its extension, or the name of a package. */
  readonly target: string;
  readonly isOurs: boolean;
  /** Gone after compilation. */
  readonly isTypeOnly: boolean;
}

const codeFolders = ['server', 'web', 'e2e', 'bench', 'scripts', 'docs'];
const generatedFolders = new Set(['node_modules', 'dist', 'gql', '__fixtures__']);
const textFile = /\.(ts|tsx|mjs|cjs|md)$/;

/** The nearest folder above that holds `package.json`: compiled tests run from an output folder somewhere inside it. */
export function findRepositoryRoot(start: string): string {
  if (existsSync(join(start, 'package.json'))) return start;
  if (dirname(start) === start) throw new Error('There is no package.json above this file.');
  return findRepositoryRoot(dirname(start));
}

/** Reads the code and the documents of this repository; nothing generated, nothing installed. */
export function readSourceTree(root: string): SourceTree {
  const tree = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory() && !generatedFolders.has(entry.name)) visit(path);
      if (entry.isFile() && textFile.test(entry.name)) tree.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  for (const folder of codeFolders) if (existsSync(join(root, folder))) visit(folder);
  for (const entry of readdirSync(root)) {
    if (textFile.test(entry)) tree.set(entry, readFileSync(join(root, entry), 'utf8'));
  }
  return tree;
}

/** Whether a file is a test or a measurement, or only serves those; such files may import freely. */
export function isTestCode(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^(server\/test|web\/src\/test|e2e|bench)\//.test(path);
}

/** `server/ledger/ledger` -> `ledger`; '' for a file that lies in `server/` itself, or elsewhere. */
export function folderOf(path: string): string {
  return /^server\/([^/]+)\//.exec(path)?.[1] ?? '';
}

const staticImport = /^[ \t]*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s*from\s*)?['"]([^'"]+)['"]/gm;
const dynamicImport = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** What a file imports or re-exports, in the order of the text. */
export function listImports(path: string, text: string): Import[] {
  const code = withoutComments(text);
  const found: Import[] = [];
  for (const [, typeWord, clause = '', specifier = ''] of code.matchAll(staticImport)) {
    found.push({ ...resolveImport(path, specifier), isTypeOnly: typeWord !== undefined || namesOnlyTypes(clause) });
  }
  for (const [, specifier = ''] of code.matchAll(dynamicImport)) {
    found.push({ ...resolveImport(path, specifier), isTypeOnly: false });
  }
  return found;
}

/** The packages that a file loads, by itself or through files of ours; types are gone by then. @returns sorted */
export function listPackagesLoadedBy(tree: SourceTree, path: string): string[] {
  const packages = new Set<string>();
  const files = new Set([path]);
  for (const file of files) {
    for (const { target, isOurs, isTypeOnly } of listImports(file, tree.get(file) ?? '')) {
      if (isTypeOnly) continue;
      if (isOurs) files.add(`${target}.ts`);
      else if (!target.startsWith('node:')) packages.add(target);
    }
  }
  return [...packages].sort();
}

/** The text without its comments, so that a rule never trips over prose. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;{}(,])\/\/.*$/gm, '$1');
}

// `import { type A, type B } from '…'`
function namesOnlyTypes(clause: string): boolean {
  const names = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1]?.split(',') ?? [];
  const filled = names.map((name) => name.trim()).filter((name) => name !== '');
  return filled.length > 0 && filled.every((name) => name.startsWith('type '));
}

function resolveImport(path: string, specifier: string): { target: string; isOurs: boolean } {
  if (!specifier.startsWith('.')) return { target: packageName(specifier), isOurs: false };
  const target = posix.join(posix.dirname(path), specifier).replace(/\.(js|jsx|ts|tsx|mjs)$/, '');
  return { target, isOurs: true };
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
