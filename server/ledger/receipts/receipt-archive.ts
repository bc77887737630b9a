import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../kernel/folders.js';
import type { CallRecordEntity } from '../tables/call-record.entity.js';
import { monthOf } from './retention-rules.js';

/**
 * Keeps receipts that are about to be removed in files of a folder, one for each month, such as `calls-2026-01.jsonl`: one JSON object a
 * line, money in millicredits, synced to disk before it is done. One that was kept when the process died is kept again: its
 * `callId` tells.
 */
export function openReceiptArchive(folder: string): (receipts: readonly CallRecordEntity[]) => Promise<void> {
  makeFolder(folder);
  return async (receipts) => {
    const months = new Map<string, string[]>();
    for (const receipt of receipts) {
      const month = new Date(monthOf(receipt.startedAtMs)).toISOString().slice(0, 7);
      const lines = months.get(month) ?? [];
      months.set(month, lines);
      lines.push(`${JSON.stringify(receipt)}\n`);
    }
    for (const [month, lines] of months) {
      // Nobody but who runs the server: it says who called what, and when.
      const file = await open(join(folder, `calls-${month}.jsonl`), 'a', 0o600);
      try {
        await file.writeFile(lines.join(''));
        await file.datasync();
      } finally {
        await file.close();
      }
    }
  };
}
