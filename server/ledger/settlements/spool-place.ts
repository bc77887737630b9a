import { rm, stat } from 'node:fs/promises';

/** What the owner may do with a file; others are not looked at, since an operator may open it to them. */
const ownerModes = 0o600n;
const nothingThere = new Set(['ENOENT', 'ENOTDIR']);

interface Seen {
  /** What tells it from every other file of this machine. */
  readonly id: string;
  readonly mode: bigint;
  readonly size: bigint;
}

/** The files are not those any more that the next process would find under their names. */
export class MovedSpoolError extends Error {
  override readonly name = 'MovedSpoolError';
  readonly code = 'moved';

  constructor() {
    super('The file of settlements or its lock was moved, removed, replaced, cut short, or closed to its owner.');
  }
}

/** The lock that the owner of a file of settlements holds. */
export function nameLock(file: string): string {
  return `${file}.lock`;
}

/**
 * A file of settlements and its lock under their names, as they are when this is made. Who has a file open goes on in it when it is
 * removed or moved, and nobody finds there later what was written since; only a look at its name tells.
 */
export class SpoolPlace {
  private constructor(
    readonly file: string,
    private readonly seen: Seen | null,
    private readonly seenLock: Seen | null,
  ) {}

  /** @throws the disk's error when it cannot be asked. */
  static async of(file: string): Promise<SpoolPlace> {
    return new SpoolPlace(file, await look(file), await look(nameLock(file)));
  }

  /**
   * Whether both names still lead to the files that they led to at first, which their owner can read and write.
   * @param bytesMin How long the file is, unless somebody has cut it short; as long as at first when left out.
   * @throws the disk's error when it cannot be asked.
   */
  async isIntact(bytesMin: number | bigint = this.seen?.size ?? 0): Promise<boolean> {
    const [now, lockNow] = await Promise.all([look(this.file), look(nameLock(this.file))]);
    return isSame(this.seen, now) && now !== null && now.size >= bytesMin && isSame(this.seenLock, lockNow);
  }

  /** Removes the file, unless its name is another's by now. @throws the disk's error. */
  async removeFile(): Promise<void> {
    const now = await look(this.file);
    if (now !== null && now.id === this.seen?.id) await rm(this.file, { force: true });
  }
}

function isSame(before: Seen | null, now: Seen | null): boolean {
  return before !== null && now !== null && before.id === now.id && before.mode === now.mode;
}

async function look(file: string): Promise<Seen | null> {
  try {
    const { dev, ino, mode, size } = await stat(file, { bigint: true });
    return { id: `${dev}:${ino}`, mode: mode & ownerModes, size };
  } catch (error) {
    if (nothingThere.has(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}
