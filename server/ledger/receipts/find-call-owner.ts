import type { EntityManager } from 'typeorm';
import { CallRecordEntity } from '../tables/call-record.entity.js';

/** The account that a finished call was charged to; null: there is no such call, or it still runs. */
export async function findCallOwner(reader: EntityManager, callId: string): Promise<string | null> {
  return (await reader.findOneBy(CallRecordEntity, { callId }))?.accountId ?? null;
}
