import { open } from 'node:fs/promises';
import type { DiskFile, SpoolDisk } from '../ledger/settlements/slot-file.js';

/** What fails: `growth` is whatever needs new room, so that what was written once can be written again. */
export type FaultScope = 'everything' | 'growth';

/** A real disk that fails when a test says so. */
export class FaultyDisk implements SpoolDisk {
  #fault: { readonly code: string; readonly scope: FaultScope } | null = null;
  #halfway: string | null = null;

  fail(code: string, scope: FaultScope): void {
    this.#fault = { code, scope };
  }

  /** The next write ends after some bytes, and what comes after them fails; once. */
  failNextWriteHalfway(code: string): void {
    this.#halfway = code;
  }

  mend(): void {
    this.#fault = null;
  }

  async open(file: string, flags: string, mode?: number): Promise<DiskFile> {
    this.#throwIf('everything', 'growth');
    const handle = await open(file, flags, mode);
    let size = (await handle.stat()).size;
    const faulty = {
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        this.#throwIf('everything', ...(position + length > size ? (['growth'] as const) : []));
        if (this.#halfway !== null && length > 20) {
          const code = this.#halfway;
          this.#halfway = null;
          await handle.write(bytes, offset, 20, position);
          throw toError(code);
        }
        size = Math.max(size, position + length);
        return handle.write(bytes, offset, length, position);
      },
      datasync: async () => {
        this.#throwIf('everything');
        await handle.datasync();
      },
      sync: () => handle.sync(),
      truncate: async (length: number) => {
        this.#throwIf('everything');
        size = length;
        await handle.truncate(length);
      },
      close: () => handle.close(),
    };
    return faulty as unknown as DiskFile;
  }

  #throwIf(...scopes: readonly FaultScope[]): void {
    if (this.#fault !== null && scopes.includes(this.#fault.scope)) throw toError(this.#fault.code);
  }
}

function toError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk fails`), { code });
}
