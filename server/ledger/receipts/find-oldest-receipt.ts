import type { EntityManager } from 'typeorm';
import { CallRecordEntity } from '../tables/call-record.entity.js';

/** When the oldest call began that has its receipt still, found by one look at an index; null: none has. */
export async function findOldestReceiptMs(reader: EntityManager): Promise<number | null> {
  const [oldest] = await reader.find(CallRecordEntity, {
    select: { callId: true, startedAtMs: true },
    order: { callId: 'ASC' },
    take: 1,
  });
  return oldest?.startedAtMs ?? null;
}
