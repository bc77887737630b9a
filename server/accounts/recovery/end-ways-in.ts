import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import type { EventKind } from '../../audit/event-kinds.js';
import type { EventsSince } from '../../audit/events-since.js';
import { noteEvent } from '../../audit/note-event.js';
import { LinkedIdentityEntity } from '../identities/linked-identity.entity.js';
import { EmailVerificationEntity } from '../sign-up/email-verification.entity.js';

/** How many of what ended, by what its owner calls it. */
export type EndedParts = Readonly<Record<string, number>>;

/** An account in which somebody else may have acted from this moment on, and what its log says of that time. */
export interface SinceThen {
  readonly accountId: string;
  readonly events: EventsSince;
  readonly sinceMs: number;
}

interface Passkey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** What makes or replaces recovery codes. */
const codesMadeBy: readonly EventKind[] = ['recovery_codes_made', 'passkey_added', 'authenticator_added'];

/**
 * Ends what signs in to an account beside its password and came since: passkeys, the authenticator app, linked sign-ins; recovery codes,
 * unless it is proven that they are from before; every proof and recovery that is under way. Factors from before stay, since whoever reads
 * mail at an old address must not get past them. Factors are named by their tables, since accounts know none.
 */
export async function endWaysIn(
  transaction: EntityManager,
  { accountId, events, sinceMs }: SinceThen,
): Promise<EndedParts> {
  const since = { accountId, createdAtMs: MoreThanOrEqual(sinceMs) };
  const passkeys = await transaction.findBy<Passkey>('passkey', since);
  for (const { id, name } of passkeys) {
    await transaction.delete('passkey', { id });
    await noteEvent(transaction, { accountId, kind: 'passkey_removed', subjectId: id, detail: name });
  }
  // One that was begun before and got its first code since lets in whoever had that code.
  const confirmedSince = { accountId, confirmedAtMs: MoreThanOrEqual(sinceMs) };
  const hasApp = await transaction.existsBy('authenticator_app', confirmedSince);
  for (const app of [since, confirmedSince]) await transaction.delete('authenticator_app', app);
  if (hasApp) await noteEvent(transaction, { accountId, kind: 'authenticator_removed' });
  const identities = await transaction.findBy(LinkedIdentityEntity, since);
  for (const { id, provider, label } of identities) {
    await transaction.delete(LinkedIdentityEntity, { id });
    const detail = `${provider}: ${label}`;
    await noteEvent(transaction, { accountId, kind: 'identity_unlinked', subjectId: id, detail });
  }
  await transaction.delete('pending_proof', { accountId });
  await transaction.delete(EmailVerificationEntity, { accountId });
  const { affected: recoveries } = await transaction.delete('factor_recovery', { accountId });
  if (recoveries) await noteEvent(transaction, { accountId, kind: 'factor_recovery_ended' });
  return {
    passkey: passkeys.length,
    'authenticator app': hasApp ? 1 : 0,
    'linked sign-in': identities.length,
    'recovery code': await endRecoveryCodes(transaction, accountId, events),
    'recovery of factors': recoveries ?? 0,
  };
}

// They have no date. The first factor brings them, and the last takes them along.
async function endRecoveryCodes(transaction: EntityManager, accountId: string, events: EventsSince): Promise<number> {
  const hasFactor =
    (await transaction.existsBy('passkey', { accountId })) ||
    (await transaction.existsBy('authenticator_app', { accountId }));
  if (hasFactor && events.provesNone(codesMadeBy)) return 0;
  return (await transaction.delete('recovery_code', { accountId })).affected ?? 0;
}
