import { posix } from 'node:path';
import { isTestCode, type SourceTree } from './source-tree.js';

/** More than this is no longer read at a glance. */
const filesMax = 24;

/** Folders whose files are read one at a time, in an order of their own, each with what that order is. */
const lists: Readonly<Record<string, string>> = {
  'server/database/migrations': 'by number',
  'web/src/app/routes': 'by address: a page each',
};

/** Every folder that lists so many files of production that nobody finds his way in it. */
export function findFullFolders(tree: SourceTree): string[] {
  const counts = new Map<string, number>();
  for (const path of tree.keys()) {
    if (!/^(server|web\/src)\/.*\.tsx?$/.test(path) || isTestCode(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > filesMax && !(folder in lists))
    .map(
      ([folder, count]) =>
        `${folder}/ lists ${count} files, more than ${filesMax}: give its parts folders of their own.`,
    );
}

const documentName = 'docs/architecture.md';
const heading = '| folder | its parts |\n|---|---|\n';
const row = /^\| `((?:server|web\/src)\/[a-z/-]+)\/` \| ([^|]+) \|$/gm;

/** Where the table of parts in the document says something else than the tree, each as one sentence. */
export function findPartsFaults(tree: SourceTree): string[] {
  const [, afterHeading = ''] = (tree.get(documentName) ?? '').split(heading);
  const [table = ''] = afterHeading.split('\n\n');
  const told = new Map<string, string>();
  for (const [, folder = '', parts = ''] of table.matchAll(row)) {
    told.set(
      folder,
      [...parts.matchAll(/`([a-z-]+)`/g)]
        .map(([, part]) => part)
        .sort()
        .join(' '),
    );
  }
  const parts = listParts(tree);
  const folders = new Set([...parts.keys(), ...told.keys()]);
  return [...folders]
    .filter((folder) => told.get(folder) !== parts.get(folder))
    .map((folder) => `${documentName} does not say that the parts of ${folder}/ are: ${parts.get(folder) ?? 'none'}.`);
}

/** Folder of `server/`, or of the dashboard's `lib` -> the folders in it, sorted; only where there are some. */
function listParts(tree: SourceTree): ReadonlyMap<string, string> {
  const parts = new Map<string, Set<string>>();
  for (const path of tree.keys()) {
    if (isTestCode(path)) continue;
    const [, folder = '', part = ''] = /^(server\/[^/]+|web\/src\/lib)\/([^/]+)\/[^/]+\.tsx?$/.exec(path) ?? [];
    if (part !== '') parts.set(folder, (parts.get(folder) ?? new Set()).add(part));
  }
  return new Map([...parts].map(([folder, names]) => [folder, [...names].sort().join(' ')]));
}
