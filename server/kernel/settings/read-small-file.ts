import { closeSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Reads a text file whole. Only an ordinary file is opened, and no more is read than may be there: a device or a pipe may never
 * come to its end.
 * @throws what the system says, or that it is a folder, no ordinary file, or larger than `bytesMax`.
 */
export function readSmallFile(path: string, bytesMax: number): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
  const bytes = Buffer.alloc(bytesMax + 1);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    if (length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
