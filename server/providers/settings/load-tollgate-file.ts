import { readFileSync, statSync } from 'node:fs';
import { readTollgateFile, type TollgateFile } from './tollgate-file.js';

/** The file that is read when none is named; it may be missing. */
export const defaultTollgateFile = 'tollgate.yaml';

/** A file of a thousand models has a few hundred kilobytes. */
const bytesMax = 4 * 1024 * 1024;

/** Reads a text file; null: there is none. @throws when it cannot be read. */
export type FileReader = (path: string) => string | null;

/** Reads the operator's file of providers and models; null where there is none, or where it has faults, which name the file. */
export function loadTollgateFile(
  path = defaultTollgateFile,
  environment: Readonly<Record<string, string | undefined>> = {},
  readFile: FileReader = readTextFile,
): { file: TollgateFile | null; faults: readonly string[] } {
  const unread = (reason: string) => ({
    file: null,
    faults: [`TOLLGATE_CONFIG: the file ${path} cannot be read${reason}`],
  });
  let text: string | null;
  try {
    text = readFile(path);
  } catch (error) {
    return unread(`: ${error instanceof Error ? error.message : error}`);
  }
  if (text === null) return path === defaultTollgateFile ? { file: null, faults: [] } : unread('');
  const { file, faults } = readTollgateFile(text, environment);
  return { file, faults: faults.map((fault) => `${path}: ${fault}`) };
}

// A device or a pipe may never come to its end.
function readTextFile(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
  if (found.size > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
  return readFileSync(path, 'utf8');
}
