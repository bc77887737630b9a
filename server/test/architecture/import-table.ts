import { folderRules } from './import-rules.js';

const documentName = 'docs/architecture.md';
const tableRow = /^\| `server\/([\w-]+)\/` \|.*\| ([^|]+) \|$/gm;

/**
 * Every row of the document's table of imports that says something else than the rules, and every folder with rules and no row, each as
 * one sentence. What stands in parentheses is a word to the reader; folders that may import anything have no rules.
 */
export function findImportTableFaults(document: string, rules: typeof folderRules = folderRules): string[] {
  const told = new Map(
    [...document.matchAll(tableRow)].map(([, folder = '', cell = '']) => [folder, listFolders(cell)]),
  );
  return Object.entries(rules).flatMap(([folder, { mayImport }]) => {
    const found = told.get(folder);
    const wanted = mayImport.length === 0 ? 'nothing of ours' : mayImport.join(', ');
    if (found === undefined) return [`${documentName} has no row for server/${folder}/, which may import: ${wanted}.`];
    const isSame = found.length === mayImport.length && found.every((name) => mayImport.includes(name));
    return isSame ? [] : [`${documentName} is wrong about server/${folder}/, which may import: ${wanted}.`];
  });
}

function listFolders(cell: string): string[] {
  const names = cell.replace(/\([^)]*\)/g, '').split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'nothing of ours');
}
