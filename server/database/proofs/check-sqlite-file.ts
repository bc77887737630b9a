import { Sqlite } from '../sqlite-driver.js';

const faultsMax = 10;

/** What SQLite itself says of a file. */
export interface SqliteFileReport {
  /** Up to ten of them, in SQLite's words; none: the file is sound. */
  readonly faults: readonly string[];
  readonly durationMs: number;
}

/**
 * Reads the whole file and asks SQLite whether its pages, indexes and constraints fit together; about a second for each
 * gigabyte that the disk gives. Changes nothing, and makes no file.
 * @throws the driver's error when it cannot be opened.
 */
export function checkSqliteFile(file: string): SqliteFileReport {
  const startedMs = performance.now();
  const database = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    return { faults: askForFaults(database), durationMs: performance.now() - startedMs };
  } finally {
    database.close();
  }
}

// A file whose first pages are damaged is not even asked to the end.
function askForFaults(database: InstanceType<typeof Sqlite>): string[] {
  try {
    const rows = database.pragma(`integrity_check(${faultsMax})`) as { integrity_check: string }[];
    return rows.map(({ integrity_check: words }) => words).filter((words) => words !== 'ok');
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_CORRUPT') throw error;
    return [(error as Error).message];
  }
}
