import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../kernel/folders.js';
import type { Logger } from '../kernel/logger.js';
import type { SettleInput } from './ledger-types.js';

const bytesMax = 256 * 1024 * 1024;
const spoolName = /^settlements-\d+-[0-9A-Za-z_]+\.spool$/;

/** The files that spools of this very process write to. */
const ownFiles = new Set<string>();

interface Line {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Settlements that the database could not take, kept in a file of this machine until it can. Append-only, a checksum on each
 * line, on disk before `keep` answers; lines that come together share one sync. Replaying one twice is harmless, since the
 * ledger knows each call.
 */
export class SettlementSpool {
  readonly #file: string;
  /** Files of the dead that were read to their end. */
  readonly #takenOver = new Set<string>();
  #handle: FileHandle | null = null;
  /** On disk, and waiting to be. */
  #bytes = 0;
  #bytesOnDisk = 0;
  #waiting: Line[] = [];
  #writing: Promise<void> | null = null;
  /** Kept and not yet replayed, oldest first. */
  #kept: SettleInput[] = [];

  /**
   * Takes over what other processes on this machine left behind. A file that is damaged is set aside as `….quarantined` and
   * reported; the whole lines before the damage stay where they are until they are booked. A file whose process seems to live
   * is read as well but left alone: after a restart of the machine, anybody may have that number.
   */
  constructor(
    private readonly folder: string,
    instance: string,
    private readonly logger: Logger,
  ) {
    makeFolder(folder);
    this.#file = join(folder, `settlements-${process.pid}-${instance}.spool`);
    ownFiles.add(this.#file);
    for (const file of this.#listFiles().filter((file) => !ownFiles.has(file))) {
      this.#kept.push(...this.#readUnlessGone(file));
    }
  }

  get kept(): readonly SettleInput[] {
    return this.#kept;
  }

  /**
   * Writes one settlement down, durably.
   * @throws when the disk refuses, or 256 MB are waiting already.
   */
  async keep(input: SettleInput): Promise<void> {
    const json = JSON.stringify(input);
    const bytes = Buffer.from(`${toChecksum(json)} ${json}\n`);
    if (this.#bytes + bytes.length > bytesMax) throw new Error('The settlement spool is full.');
    this.#bytes += bytes.length;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
    this.#kept.push(input);
  }

  /** Tells that this many of the oldest have been booked. Once none is left, the files go. */
  async forgetOldest(count: number): Promise<void> {
    this.#kept = this.#kept.slice(count);
    if (this.#kept.length > 0 || this.#writing) return;
    const handle = this.#handle;
    // All of it before the first wait: what is kept during that belongs into a new file.
    this.#handle = null;
    this.#bytes = 0;
    this.#bytesOnDisk = 0;
    // Not what others have left since: nobody has read that yet.
    for (const file of [this.#file, ...this.#takenOver]) rmSync(file, { force: true });
    this.#takenOver.clear();
    await handle?.close();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = null;
    ownFiles.delete(this.#file);
  }

  #listFiles(): string[] {
    const names = readdirSync(this.folder).filter((name) => spoolName.test(name));
    return names.map((name) => join(this.folder, name));
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      const bytes = Buffer.concat(lines.map((line) => line.bytes));
      try {
        this.#handle ??= await open(this.#file, 'a', 0o600);
        await this.#handle.appendFile(bytes);
        await this.#handle.datasync();
        this.#bytesOnDisk += bytes.length;
        for (const { resolve } of lines) resolve();
      } catch (error) {
        this.#bytes -= bytes.length;
        // Half a line may stand there now, and nobody would read what is written after it.
        await this.#handle?.truncate(this.#bytesOnDisk).catch(() => {});
        for (const { reject } of lines) reject(error);
      }
    }
    this.#writing = null;
  }

  // A process that starts at the same time may have booked it all and removed the file.
  #readUnlessGone(file: string): SettleInput[] {
    try {
      return this.#readLeftBehind(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #readLeftBehind(file: string): SettleInput[] {
    // Asked before it is read: whoever dies in between may have written more.
    const isOrphan = !isOwnerAlive(file);
    const { settlements, goodBytes, isDamaged } = parseSpool(readFileSync(file, 'utf8'));
    if (isOrphan) this.#takenOver.add(file);
    // What looks torn may be a line that a living process is just writing.
    if (isDamaged && isOrphan) {
      const quarantine = `${file}.quarantined`;
      this.logger.error('spool_damaged', { file: quarantine, savedSettlements: settlements.length });
      copyFileSync(file, quarantine);
      truncateSync(file, goodBytes);
    }
    this.logger.warn('spool_found', { settlements: settlements.length });
    return settlements;
  }
}

/** Reads the whole lines of a spool up to the first damaged one, and tells how many bytes they take. */
export function parseSpool(text: string): { settlements: SettleInput[]; goodBytes: number; isDamaged: boolean } {
  const lines = text.split('\n');
  const tail = lines.pop();
  const settlements: SettleInput[] = [];
  let goodBytes = 0;
  for (const line of lines) {
    const json = line.slice(9);
    if (line.slice(0, 8) !== toChecksum(json)) return { settlements, goodBytes, isDamaged: true };
    settlements.push(JSON.parse(json) as SettleInput);
    goodBytes += Buffer.byteLength(line) + 1;
  }
  return { settlements, goodBytes, isDamaged: tail !== '' };
}

function toChecksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

function isOwnerAlive(file: string): boolean {
  const pid = Number(basename(file).split('-')[1]);
  // A container gives its server the same number at every start.
  if (pid === process.pid) return ownFiles.has(file);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
