import type { EntityManager } from 'typeorm';
import type { EventKind } from '../../audit/event-kinds.js';
import { EventsSince } from '../../audit/events-since.js';
import type { KeyEndings, MembersOfAccounts } from '../account-deletion.js';
import { type EndedParts, endWaysIn } from './end-ways-in.js';
import { endWaysOut } from './end-ways-out.js';
import { describeKeys, noteEndedKeys, revokeKeys, revokeKeysElsewhere, revokeKeysSince } from './revoke-keys.js';

/** Of whom it is, since when somebody else may have acted as its owner, and whether every key ends in any case. */
export interface MadeSince {
  readonly accountId: string;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly isEveryKey: boolean;
}

export interface EndingParts {
  readonly members: Pick<MembersOfAccounts, 'endSince'>;
  readonly keyChanges: KeyEndings;
}

/** What ended. */
export interface EndedSince {
  /** As a sentence of a mail to the owner. */
  readonly words: string;
  /** Of the keys, as a sentence of the same mail. */
  readonly keyWords: string;
  /** What `keyChanges.takenOver` is to be asked with, one after the other, behind the commit. */
  readonly noted: readonly unknown[];
}

const kinds: readonly EventKind[] = [
  ...(['recovery_codes_made', 'passkey_added', 'authenticator_added', 'key_created', 'key_rotated'] as const),
  ...(['webhook_endpoint_created', 'webhook_endpoint_changed', 'balance_alert_set', 'receipt_shared'] as const),
];

/**
 * Ends everything by which somebody who acted as the owner of an account since a moment could come back, or be sent its data: what was
 * made or changed since ends, unless a member from before did it, and what has no date ends unless the account's log proves that it is
 * from before. In the caller's transaction, which has written the account's row; sessions, devices and mailed links are the caller's.
 * A person whom an owner from before has lowered ends what is their own, and nothing of the account.
 *
 * What stays, since it lets nobody in and sends nothing out: money and its books, limits and budgets, automatic top-ups as they were
 * agreed to before, or by the card of a member from before, saved prompts, names, the roles of members from before, and what was done in accounts of others but keys,
 * invitations, and what the person's card is charged there.
 */
export async function endMadeSince(
  transaction: EntityManager,
  { accountId, isEveryKey, nowMs, sinceMs }: MadeSince,
  { keyChanges, members }: EndingParts,
): Promise<EndedSince> {
  const left = await members.endSince(transaction, { accountId, sinceMs, nowMs });
  const { earlierIds: trustedIds, mayManage } = left;
  const events = await EventsSince.read(transaction, { accountId, sinceMs, kinds, trustedIds });
  const waysIn = await endWaysIn(transaction, { accountId, events, sinceMs });
  const waysOut = mayManage ? await endWaysOut(transaction, { accountId, events, sinceMs }) : {};
  const own = { accountId, nowMs, mayManage };
  if (isEveryKey) await revokeKeys(transaction, own);
  let keys = await revokeKeysSince(transaction, { ...own, sinceMs, events });
  const keysEndedIn = isEveryKey || keys > 0 ? [accountId] : [];
  for (const elsewhere of left.memberOf) {
    const made = { personId: accountId, accountId: elsewhere, sinceMs, nowMs };
    const ended = await revokeKeysElsewhere(transaction, made);
    if (ended > 0) keysEndedIn.push(elsewhere);
    keys += ended;
  }
  const { endedMembers, endedInvitations, endedTopUps, endedCards } = left;
  const ofMembers = { member: endedMembers, invitation: endedInvitations };
  const ofCards = { 'saved card': endedCards, 'automatic top-up': endedTopUps };
  const ended = { ...waysIn, ...waysOut, 'API key': keys, ...ofMembers, ...ofCards };
  const noted = await noteEndedKeys(transaction, keysEndedIn, keyChanges);
  return { words: describeEnded(ended), keyWords: describeKeys({ isEveryKey, mayManage }), noted };
}

function describeEnded(ended: EndedParts): string {
  const parts = Object.entries(ended).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'Nothing else that lets anybody in was found.';
  return `Ended with it, since somebody else may have made it: ${parts.map(([what, count]) => `${count} × ${what}`).join(', ')}.`;
}
