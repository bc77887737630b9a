/** Folders of `server/` that put everything together: the application, and the operator's programs on it. */
const compositionFolders = ['composition', 'cli'];

/** Files beside them that do: what is run, the list of all tables, and what TypeORM's own program reads. */
const compositionFiles: ReadonlySet<string> = new Set(['ormconfig', 'server/app', 'server/entities', 'server/main']);

/** Whether a folder of `server/` may import every other. */
export function isCompositionFolder(folder: string): boolean {
  return compositionFolders.includes(folder);
}

/** Whether a file, named without its extension, may import everything. */
export function isCompositionRoot(file: string): boolean {
  const [, folder, inside] = /^server\/([^/]+)(\/)/.exec(file) ?? [];
  return compositionFiles.has(file) || (folder !== undefined && inside !== undefined && isCompositionFolder(folder));
}
