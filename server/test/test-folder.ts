import { mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
const freeBytesMin = 1024 ** 3;

/**
 * Makes an empty folder for the database and the spool of a test; it is removed with all others at the end of the run, by
 * `scripts/jest-global-teardown.mjs`. It lies in memory where the machine has a gigabyte of that to spare: a commit waits for the
 * disk as the product wants it, and a test has a thousand of them. What is killed with `kill -9` leaves the same behind as on a disk.
 */
export function makeTestFolder(name: string): string {
  const ofRun = join(hasMemoryToSpare() ? memoryFolder : tmpdir(), process.env.TOLLGATE_RUN_FOLDER ?? '');
  mkdirSync(ofRun, { recursive: true });
  return mkdtempSync(join(ofRun, `tollgate-${name}-`));
}

function hasMemoryToSpare(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= freeBytesMin;
  } catch {
    // Not Linux.
    return false;
  }
}
