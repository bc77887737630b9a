import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessLock, tryLock } from '../../database/process-lock.js';
import { makeFolder, syncFolder } from '../../kernel/folders.js';
import { monthOf } from '../../kernel/spend-period.js';
import type { CallRecordEntity } from '../tables/call-record.entity.js';

type ArchiveFile = Pick<FileHandle, 'stat' | 'read' | 'writeFile' | 'datasync' | 'truncate' | 'close' | 'sync'>;

interface Disk {
  open(file: string, flags: string, mode?: number): Promise<ArchiveFile>;
}

const lockName = '.archive.lock';
/** Another process keeps a step of receipts within milliseconds. */
const lockTimeoutMs = 10_000;
const lockPauseMs = 20;

/**
 * Keeps receipts that are about to be removed in files of a folder, one for each month, such as `calls-2026-01.jsonl`: one JSON object a
 * line, money in millicredits, synced to disk before it is done. Several processes may share the folder. One that was kept when the process
 * died is kept again: its `callId` tells. What a disk took by halves is taken back, and where even that fails, or a power cut has left
 * half a line, the next receipt begins a line of its own: each that was said to be kept is a whole line.
 * The function that is returned throws the disk's error, and an Error while another process holds the folder for longer than ten seconds.
 */
export function openReceiptArchive(
  folder: string,
  disk: Disk = { open },
): (receipts: readonly CallRecordEntity[]) => Promise<void> {
  makeFolder(folder);
  return async (receipts) => {
    // Nobody else may append between what is written here and what is taken back.
    const lock = await lockArchive(folder);
    try {
      for (const [month, lines] of groupByMonth(receipts)) {
        // Nobody but who runs the server: it says who called what, and when.
        const file = await disk.open(join(folder, `calls-${month}.jsonl`), 'a+', 0o600);
        try {
          const isNew = await append(file, lines.join(''));
          if (isNew) await syncFolder(folder, disk);
        } finally {
          await file.close();
        }
      }
    } finally {
      lock.release('keep');
    }
  };
}

function groupByMonth(receipts: readonly CallRecordEntity[]): ReadonlyMap<string, string[]> {
  const months = new Map<string, string[]>();
  for (const receipt of receipts) {
    const month = new Date(monthOf(receipt.startedAtMs)).toISOString().slice(0, 7);
    const lines = months.get(month) ?? [];
    months.set(month, lines);
    lines.push(`${JSON.stringify(receipt)}\n`);
  }
  return months;
}

/** Appends whole lines durably, or nothing. @returns whether they are the first ones. @throws the disk's error. */
async function append(file: ArchiveFile, text: string): Promise<boolean> {
  const { size } = await file.stat();
  const isCut = size > 0 && (await readByte(file, size - 1)) !== '\n';
  try {
    await file.writeFile(isCut ? `\n${text}` : text);
    await file.datasync();
  } catch (error) {
    // Where this fails, too, the half line is seen by who appends next.
    await file.truncate(size).catch(() => {});
    throw error;
  }
  return size === 0;
}

async function readByte(file: ArchiveFile, position: number): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  return buffer.toString('latin1');
}

async function lockArchive(folder: string): Promise<ProcessLock> {
  for (const untilMs = performance.now() + lockTimeoutMs; ; await sleep(lockPauseMs)) {
    const lock = tryLock(join(folder, lockName));
    if (lock !== null) return lock;
    if (performance.now() > untilMs) throw new Error(`Another process keeps receipts in ${folder} all the time.`);
  }
}
