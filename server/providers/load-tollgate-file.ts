import { existsSync, readFileSync } from 'node:fs';
import { readTollgateFile, type TollgateFile } from './tollgate-file.js';

/** The file that is read when none is named; it may be missing. */
export const defaultTollgateFile = 'tollgate.yaml';

/** Reads a text file; null: there is none. */
export type FileReader = (path: string) => string | null;

/** Reads the operator's file of providers and models; null where there is none, or where it has faults, which name the file. */
export function loadTollgateFile(
  path = defaultTollgateFile,
  environment: Readonly<Record<string, string | undefined>> = {},
  readFile: FileReader = readTextFile,
): { file: TollgateFile | null; faults: readonly string[] } {
  const text = readFile(path);
  if (text === null) {
    const isNamed = path !== defaultTollgateFile;
    return { file: null, faults: isNamed ? [`TOLLGATE_CONFIG: the file ${path} cannot be read`] : [] };
  }
  const { file, faults } = readTollgateFile(text, environment);
  return { file, faults: faults.map((fault) => `${path}: ${fault}`) };
}

function readTextFile(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
