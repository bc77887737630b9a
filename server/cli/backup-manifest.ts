import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { PlainFailure } from '../kernel/settings/plain-failure.js';

/** It cannot be backed up, or restored, as asked; the message names the remedy. */
export class BackupRefusedError extends PlainFailure {
  override readonly name = 'BackupRefusedError';
}

export const databaseName = 'tollgate.db';
export const spoolName = 'spool';
export const manifestName = 'backup.json';

const manifestShape = z.object({
  product: z.literal('tollgate'),
  version: z.string(),
  madeAt: z.string(),
  /** Path in the backup -> what it holds. */
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof manifestShape>;

/** @throws BackupRefusedError where there is none, or none that we have written. */
export function readManifest(folder: string): BackupManifest {
  try {
    const manifest = manifestShape.parse(JSON.parse(readFileSync(join(folder, manifestName), 'utf8')));
    // A path that leads out of the backup is none that we have written.
    const isOurs = (path: string) => path === databaseName || /^spool(\/[\w.-]+)+$/.test(path);
    if (databaseName in manifest.files && Object.keys(manifest.files).every(isOurs)) return manifest;
  } catch {
    // Told below.
  }
  throw new BackupRefusedError(`${folder} is no backup of Tollgate: it has no ${manifestName} that can be read.`);
}

/** @throws the disk's error. */
export async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

/** Makes what a file holds durable. @throws the disk's error. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
}
