import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.js';
import { giveToOwnerOf, makeFolder, syncFolder } from '../../kernel/folders.js';
import type { SettleInput } from '../ledger-types.js';
import { localDisk, type SpoolDisk } from './slot-file.js';

const undecidedSuffix = '.refused.json';

/** How a quarantined settlement was ended by the operator. */
export type QuarantineEnd = 'booked' | 'dismissed';

/** A settlement that the ledger has refused, which a person has to decide about. */
export interface QuarantinedSettlement {
  readonly input: SettleInput;
  /** Why it was refused: `unknown_hold`, or `constraint`. */
  readonly reason: string;
  readonly quarantinedAtMs: number;
}

/**
 * Settlements that the ledger refused by its own decision, one file each beside the spool: on disk before anything else forgets
 * them, seen until the operator books or dismisses them, and kept after that with what was decided. Nothing is ever deleted
 * here.
 */
export class SettlementQuarantine {
  readonly #folder: string;

  constructor(
    spoolFolder: string,
    private readonly disk: SpoolDisk = localDisk,
  ) {
    this.#folder = join(spoolFolder, 'quarantine');
  }

  /** Writes one down, durably; once for each call. @throws the disk's error. */
  async add(input: SettleInput, reason: string): Promise<void> {
    makeFolder(this.#folder);
    const settlement: QuarantinedSettlement = { input, reason, quarantinedAtMs: systemClock.nowMs() };
    await this.#write(`${nameOf(input.callId)}${undecidedSuffix}`, settlement);
  }

  /** Those that nobody has decided about, oldest first. */
  async list(): Promise<QuarantinedSettlement[]> {
    const names = (await this.#names()).filter((name) => name.endsWith(undecidedSuffix));
    const found = await Promise.all(names.map((name) => this.#read(name)));
    return found.filter((one) => one !== null).sort((one, other) => one.quarantinedAtMs - other.quarantinedAtMs);
  }

  async count(): Promise<number> {
    return (await this.#names()).filter((name) => name.endsWith(undecidedSuffix)).length;
  }

  async find(callId: string): Promise<QuarantinedSettlement | null> {
    return this.#read(`${nameOf(callId)}${undecidedSuffix}`);
  }

  /**
   * Writes down what was decided, and by which words; from now on it does not count any more.
   * @throws the disk's error, and then it is as before.
   */
  async end(settlement: QuarantinedSettlement, how: QuarantineEnd, note: string): Promise<void> {
    const name = nameOf(settlement.input.callId);
    await this.#write(`${name}.${how}.json`, { ...settlement, [`${how}AtMs`]: systemClock.nowMs(), note });
    // The record of the refusal stays as well, under a name that is not open.
    await rename(join(this.#folder, `${name}${undecidedSuffix}`), join(this.#folder, `${name}.was-refused.json`));
    await syncFolder(this.#folder, this.disk);
  }

  async #write(name: string, content: object): Promise<void> {
    const file = join(this.#folder, name);
    const bytes = Buffer.from(`${JSON.stringify(content)}\n`);
    // Two may come with the same call at once.
    const part = `${file}.${randomBytes(6).toString('hex')}.part`;
    const handle = await this.disk.open(part, 'wx', 0o600);
    try {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, 0);
      if (bytesWritten < bytes.length)
        throw Object.assign(new Error('The disk takes nothing more.'), { code: 'ENOSPC' });
      await handle.datasync();
      await handle.close();
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(part, { force: true }).catch(() => {});
      throw error;
    }
    giveToOwnerOf(this.#folder, part);
    await rename(part, file);
    await syncFolder(this.#folder, this.disk);
  }

  async #read(name: string): Promise<QuarantinedSettlement | null> {
    try {
      return JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as QuarantinedSettlement;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

// Ids are letters, digits and `_`; whatever else came, it names no other folder.
function nameOf(callId: string): string {
  return callId.replaceAll(/[^0-9A-Za-z_-]/g, '-').slice(0, 100);
}
