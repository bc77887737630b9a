import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of this Tollgate, as its `package.json` names it. */
export const productVersion: string = readVersion(import.meta.dirname);

// Compiled code lies at another depth than its source, so the file is looked for upwards.
function readVersion(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version);
  const parent = dirname(folder);
  if (parent === folder) throw new Error('No package.json lies above the server’s own code.');
  return readVersion(parent);
}
