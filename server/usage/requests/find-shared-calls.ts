import { type EntityManager, In } from 'typeorm';
import { isStanding } from '../../database/time/is-due.js';
import { ReceiptLinkEntity } from './receipt-link.entity.js';

/** No link holds for longer. */
export const longestSharingMs = 90 * 86_400_000;

/** Which of these calls' receipts can be seen by a link that has not expired. An account has a hundred links at most, found by index. */
export async function findSharedCalls(
  reader: EntityManager,
  calls: readonly { readonly accountId: string; readonly callId: string }[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const accountIds = [...new Set(calls.map(({ accountId }) => accountId))];
  const links = await reader.find(ReceiptLinkEntity, {
    select: { tokenHash: true, callId: true },
    where: { accountId: In(accountIds), expiresAtMs: isStanding(nowMs, longestSharingMs) },
  });
  return new Set(links.map(({ callId }) => callId));
}
