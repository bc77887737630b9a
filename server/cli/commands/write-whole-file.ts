import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import { UsageError } from '../operator-program.js';

const partialSuffix = '.partial';
const refusalsOfDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS']);

/**
 * Writes a new file for nobody but whoever runs this (0600). It is there whole or not at all: until then it is beside its place, with
 * `.partial` behind its name. What fails takes that away again; what a kill has left there, the next run does.
 * @param write writes all of it, and ends the stream.
 * @throws UsageError where there is a file already, or no place for one; PlainFailure where the disk refuses it; what `write` throws.
 */
export async function writeWholeFile(path: string, write: (file: Writable) => Promise<void>): Promise<void> {
  if (existsSync(path)) throw refuse(path, 'is there already');
  const partial = path + partialSuffix;
  const noPlace = (error: NodeJS.ErrnoException) => {
    throw refuse(path, `cannot be made (${error.code})`);
  };
  await rm(partial, { force: true }).catch(noPlace);
  const handle = await open(partial, 'wx', 0o600).catch(noPlace);
  try {
    // On the disk before it is at its place. The stream closes the file.
    await write(handle.createWriteStream({ flush: true } as object));
    await rename(partial, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partial, { force: true });
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw refusalsOfDisks.has(code)
      ? new PlainFailure(`--to: ${message}. Nothing was written. Make room there, or name a file on another disk.`)
      : error;
  }
}

function refuse(path: string, why: string): UsageError {
  return new UsageError(`--to: ${path} ${why}. Name a file that is not there yet.`);
}
