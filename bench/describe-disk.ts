import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { spreadOf } from './figures.js';

const tmpfsType = 0x01021994;
const syncsMeasured = 100;

/**
 * What a durable commit costs at the very least in this folder: 4 KiB written and synced.
 * @throws when the folder is in memory, where a sync is no work and all figures would flatter.
 */
export function measureSyncMs(folder: string): number {
  if (statfsSync(folder).type === tmpfsType)
    throw new Error(`${folder} is in memory; set TMPDIR to a folder on a disk.`);
  const file = join(folder, 'sync-probe');
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4_096, 1);
  const durations = Array.from({ length: syncsMeasured }, () => {
    const startedMs = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    return performance.now() - startedMs;
  });
  closeSync(descriptor);
  rmSync(file);
  return spreadOf(durations).median;
}
