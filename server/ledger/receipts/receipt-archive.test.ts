import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '../../test/test-folder.js';
import type { CallRecordEntity } from '../tables/call-record.entity.js';
import { openReceiptArchive } from './receipt-archive.js';

const january = Date.UTC(2026, 0, 3);
const receipts = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ callId: `call_${from + index}`, startedAtMs: january })).map(
    (receipt) => receipt as CallRecordEntity,
  );
const idsOf = (some: readonly CallRecordEntity[]) => some.map(({ callId }) => callId);

describe('receipts that are kept before they are removed', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('archive');
  });

  const fileOf = () => join(folder, 'calls-2026-01.jsonl');
  const linesOf = () =>
    readFileSync(fileOf(), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  /** As a disk that takes so many bytes of the next write, and no more. */
  const openUntilFull = (fault: { takes: number | null; canTruncate: boolean; syncFails?: boolean }) => ({
    open: async (path: string, flags: string, mode?: number) => {
      const file = await open(path, flags, mode);
      const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      return new Proxy(file, {
        get(target, name: keyof FileHandle) {
          if (name === 'writeFile' && fault.takes !== null)
            return async (text: string) => {
              await target.write(text.slice(0, fault.takes ?? 0));
              throw full();
            };
          if (name === 'datasync' && fault.syncFails) return () => Promise.reject(full());
          if (name === 'truncate' && !fault.canTruncate) return () => Promise.reject(full());
          const value = target[name];
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  });

  it('are each a whole line after a disk that became full anywhere in a line, and one that would not take that back', async () => {
    for (const canTruncate of [true, false]) {
      for (const takes of [0, 1, 20, 43, 60, 200]) {
        rmSync(fileOf(), { force: true });
        const fault: { takes: number | null; canTruncate: boolean } = { takes: null, canTruncate };
        const keep = openReceiptArchive(folder, openUntilFull(fault));
        await keep(receipts(0, 5));
        const { size } = statSync(fileOf());
        fault.takes = takes;
        await expect(keep(receipts(5, 5))).rejects.toThrow('ENOSPC');
        if (canTruncate) expect(statSync(fileOf()).size).toBe(size);
        fault.takes = null;
        await keep(receipts(5, 5));
        const whole = linesOf().flatMap((line) => {
          try {
            return [JSON.parse(line).callId];
          } catch {
            return [];
          }
        });
        expect(whole).toEqual(expect.arrayContaining(idsOf(receipts(0, 10))));
        if (canTruncate) expect(linesOf()).toHaveLength(10);
      }
    }
  });

  it('are not there where the disk did not make them durable', async () => {
    const fault = { takes: null, canTruncate: true, syncFails: true };
    await expect(openReceiptArchive(folder, openUntilFull(fault))(receipts(0, 5))).rejects.toThrow('ENOSPC');
    expect(statSync(fileOf()).size).toBe(0);
  });

  it('begin a line of their own behind half a line that a power cut has left', async () => {
    const keep = openReceiptArchive(folder);
    await keep(receipts(0, 1));
    appendFileSync(fileOf(), '{"callId":"call_');
    await keep(receipts(1, 2));
    const [first, half, ...others] = linesOf();
    expect(half).toBe('{"callId":"call_');
    expect([first, ...others].map((line) => JSON.parse(String(line)).callId)).toEqual(idsOf(receipts(0, 3)));
  });

  it('are all there when several keep some in the same folder, and one of them has no room', async () => {
    const fault = { takes: 30, canTruncate: true };
    const failing = openReceiptArchive(folder, openUntilFull(fault));
    const others = [openReceiptArchive(folder), openReceiptArchive(folder)];
    const kept: CallRecordEntity[] = [];
    for (let round = 0; round < 10; round += 1) {
      const some = others.map((keep, index) => {
        const mine = receipts(round * 100 + index * 10, 5);
        kept.push(...mine);
        return keep(mine);
      });
      await Promise.all([...some, expect(failing(receipts(9_000, 5))).rejects.toThrow('ENOSPC')]);
    }
    const found = linesOf().map((line) => JSON.parse(line).callId);
    expect(found.sort()).toEqual(idsOf(kept).sort());
  });

  it('have a name that outlasts a power cut, and are for the server’s user alone', async () => {
    const synced: string[] = [];
    const disk = {
      open: async (path: string, flags: string, mode?: number) => {
        const file = await open(path, flags, mode);
        const sync = file.sync.bind(file);
        file.sync = () => {
          synced.push(path);
          return sync();
        };
        return file;
      },
    };
    const keep = openReceiptArchive(folder, disk);
    await keep(receipts(0, 1));
    expect(synced).toEqual([folder]);
    await keep(receipts(1, 1));
    expect(synced).toEqual([folder]);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['.archive.lock', 'calls-2026-01.jsonl']);
  });
});
