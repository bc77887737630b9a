import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

// Debian keeps servers where an ordinary user's PATH does not look.
const serverFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

/**
 * Looks for a program by its file name in PATH and in the folders where servers are kept, or by its whole path.
 * @param {...string} names tried in this order
 * @returns {string | null} the path of the first one found
 */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...serverFolders];
  const candidates = names.flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))));
  return candidates.find(isExecutable) ?? null;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
