import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRoot } from './as-root.js';

/** What every write says once the disk is broken, to programs that have files open on it as well. */
export type DiskError = 'EROFS' | 'EIO';

const mebibyte = 1024 * 1024;
const outerBytes = 96 * mebibyte;
const innerBytes = 64 * mebibyte;

/**
 * A real file system that breaks while programs write to it. ext4 goes read-only under them when it is told to give up, as it
 * does when its disk fails. For EIO a second file system lies in a file on the first one, without a journal, so that it lives
 * on when no write of its own arrives any more. Both lie in memory.
 */
export class BreakableDisk {
  /** Where its files are; empty while it is not mounted. */
  readonly folder: string;
  readonly #under: string;
  readonly #image: string;
  readonly #outer: string;
  readonly #innerImage: string;

  private constructor(
    private readonly root: string,
    private readonly error: DiskError,
  ) {
    this.#under = join(root, 'memory');
    this.#image = join(this.#under, 'disk');
    this.#outer = join(root, 'outer');
    this.#innerImage = join(this.#outer, 'disk');
    this.folder = error === 'EROFS' ? this.#outer : join(root, 'inner');
    for (const folder of new Set([this.#under, this.#outer, this.folder])) mkdirSync(folder);
  }

  /**
   * Whether this machine lets a test make one: as root or by a `sudo` that asks for no password, with loop devices and ext4.
   * @throws with CI=true when it does not, so that the suite is never left out in silence.
   */
  static isPossible(): boolean {
    try {
      const disk = BreakableDisk.mount('EIO');
      disk.break();
      disk.close();
      return true;
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      console.warn('NOT RUN: no file system can be made on a loop device here, so disks that break are not tried.');
      return false;
    }
  }

  static mount(error: DiskError): BreakableDisk {
    const disk = new BreakableDisk(mkdtempSync(join(tmpdir(), 'tollgate-disk-')), error);
    try {
      disk.#make();
    } catch (fault) {
      disk.close();
      throw fault;
    }
    return disk;
  }

  /** From now on no write succeeds. */
  break(): void {
    asRoot('mount', '-o', 'remount,abort', this.#outer);
  }

  /** As an operator mends it: taken out, checked and put back. Nobody may have a file open on it. */
  mend(): void {
    this.#unmount('');
    check(this.#image);
    this.#mountOuter();
    if (this.error === 'EROFS') return;
    check(this.#innerImage);
    this.#mountInner();
  }

  close(): void {
    this.#unmount('-l');
    tryAsRoot('umount', '-l', this.#under);
    rmSync(this.root, { recursive: true, force: true });
  }

  #make(): void {
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${outerBytes + 8 * mebibyte},mode=0777`, 'tmpfs', this.#under);
    makeSparse(this.#image, outerBytes);
    asRoot('mkfs.ext4', '-q', this.#image);
    this.#mountOuter();
    if (this.error === 'EIO') {
      makeSparse(this.#innerImage, innerBytes);
      asRoot('mkfs.ext4', '-q', '-O', '^has_journal', this.#innerImage);
      asRoot('sync', this.#innerImage);
      this.#mountInner();
    }
  }

  #mountOuter(): void {
    asRoot('mount', '-o', 'loop,errors=remount-ro', this.#image, this.#outer);
    asRoot('chmod', '0777', this.#outer);
  }

  #mountInner(): void {
    asRoot('mount', '-o', 'loop,errors=continue', this.#innerImage, this.folder);
    asRoot('chmod', '0777', this.folder);
  }

  #unmount(how: '' | '-l'): void {
    const words = how === '' ? [] : [how];
    const unmount = how === '' ? asRoot : tryAsRoot;
    if (this.error === 'EIO') unmount('umount', ...words, this.folder);
    unmount('umount', ...words, this.#outer);
  }
}

function makeSparse(file: string, bytes: number): void {
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  truncateSync(file, bytes);
}

// It ends with 1 when it has mended something.
function check(image: string): void {
  asRoot('sh', '-c', `fsck.ext4 -fy '${image}'; test $? -le 1`);
}

function tryAsRoot(program: string, ...words: string[]): void {
  try {
    asRoot(program, ...words);
  } catch {
    // It was not mounted.
  }
}
