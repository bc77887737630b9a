import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRoot } from './as-root.js';

/** A file system of a few megabytes that a test fills up or makes read-only. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /**
   * Whether this machine lets a test mount one: as root, or by a `sudo` that asks for no password.
   * @throws with CI=true when it does not, so that the suite is never left out in silence.
   */
  static isPossible(): boolean {
    try {
      new SmallDisk(mkdtempSync(join(tmpdir(), 'tollgate-disk-'))).#mount(1).close();
      return true;
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      console.warn('NOT RUN: no file system can be mounted here, so full and read-only disks are not tried.');
      return false;
    }
  }

  static mount(megabytes: number): SmallDisk {
    return new SmallDisk(mkdtempSync(join(tmpdir(), 'tollgate-disk-'))).#mount(megabytes);
  }

  /** Takes all that is left of it. */
  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'a');
    try {
      for (const bytes of [Buffer.alloc(65_536), Buffer.alloc(1_024), Buffer.alloc(1)]) writeUntilFull(file, bytes);
    } finally {
      closeSync(file);
    }
  }

  makeRoom(): void {
    rmSync(join(this.folder, 'filler'));
  }

  /** Only while no file on it is open for writing. */
  setReadOnly(isReadOnly: boolean): void {
    asRoot('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, this.folder);
  }

  close(): void {
    asRoot('umount', '-l', this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #mount(megabytes: number): this {
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', this.folder);
    return this;
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  for (;;) {
    try {
      if (writeSync(file, bytes) < bytes.length) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}
