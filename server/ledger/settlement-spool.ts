import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../kernel/logger.js';
import type { SettleInput } from './ledger-types.js';

const bytesMax = 256 * 1024 * 1024;
const spoolName = /^settlements-\d+-[0-9A-Za-z_]+\.spool$/;

interface Line {
  readonly text: string;
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
  #handle: FileHandle | null = null;
  #bytes = 0;
  #waiting: Line[] = [];
  #writing: Promise<void> | null = null;
  /** Kept and not yet replayed, oldest first. */
  #kept: SettleInput[] = [];

  /**
   * Takes over what earlier processes on this machine left behind: whole lines are kept, a damaged one and all that follows it
   * in its file is set aside as `….quarantined` and reported.
   */
  constructor(
    private readonly folder: string,
    instance: string,
    private readonly logger: Logger,
  ) {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `settlements-${process.pid}-${instance}.spool`);
    for (const name of readdirSync(folder).filter((name) => spoolName.test(name) && !isOwnerAlive(name))) {
      this.#kept.push(...this.#readLeftBehind(join(folder, name)));
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
    const text = `${toChecksum(json)} ${json}\n`;
    if (this.#bytes + text.length > bytesMax) throw new Error('The settlement spool is full.');
    this.#bytes += text.length;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
    this.#kept.push(input);
  }

  /** Tells that this many of the oldest have been booked. Once none is left, the files go. */
  async forgetOldest(count: number): Promise<void> {
    this.#kept = this.#kept.slice(count);
    if (this.#kept.length > 0 || this.#writing) return;
    await this.#handle?.close();
    this.#handle = null;
    this.#bytes = 0;
    for (const name of readdirSync(this.folder).filter((name) => spoolName.test(name))) {
      const isOurs = join(this.folder, name) === this.#file;
      if (isOurs || !isOwnerAlive(name)) rmSync(join(this.folder, name), { force: true });
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = null;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        this.#handle ??= await open(this.#file, 'a', 0o600);
        await this.#handle.appendFile(lines.map(({ text }) => text).join(''));
        await this.#handle.datasync();
        for (const { resolve } of lines) resolve();
      } catch (error) {
        for (const { reject } of lines) reject(error);
      }
    }
    this.#writing = null;
  }

  #readLeftBehind(file: string): SettleInput[] {
    const { settlements, isDamaged } = parseSpool(readFileSync(file, 'utf8'));
    if (isDamaged) {
      const quarantine = `${file}.quarantined`;
      this.logger.error('spool_damaged', { file: quarantine, savedSettlements: settlements.length });
      renameSync(file, quarantine);
    }
    this.logger.warn('spool_found', { settlements: settlements.length });
    return settlements;
  }
}

/** Reads the whole lines of a spool up to the first damaged one. */
export function parseSpool(text: string): { settlements: SettleInput[]; isDamaged: boolean } {
  const lines = text.split('\n');
  const tail = lines.pop();
  const settlements: SettleInput[] = [];
  for (const line of lines) {
    const json = line.slice(9);
    if (line.slice(0, 8) !== toChecksum(json)) return { settlements, isDamaged: true };
    settlements.push(JSON.parse(json) as SettleInput);
  }
  return { settlements, isDamaged: tail !== '' };
}

function toChecksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

function isOwnerAlive(name: string): boolean {
  const pid = Number(name.split('-')[1]);
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
