import type { EntityManager } from 'typeorm';
import { findMadeChange, noteMadeChange } from '../idempotency/idempotent-changes.js';
import { AppError } from '../kernel/app-error.js';
import { openSealedSecret, type SealHolder, sealSecret } from './sealed-secret.js';

/** A change that hands out a secret, and how it is known when it is asked for again. */
export interface ChangeOnce {
  readonly accountId: string;
  readonly holder: SealHolder;
  /** The name of the change, and all that it was given. */
  readonly input: readonly unknown[];
  readonly nowMs: number;
}

export interface MadeSecret {
  readonly keyId: string;
  readonly secret: string;
}

/** A caller who lost the answer asks again within minutes; a secret lies sealed no longer than that is of use. */
const secretRepeatedMs = 15 * 60_000;

/**
 * What the same change handed out before, in the transaction that would make it now.
 * @returns null: it is the first.
 * @throws AppError `conflict` when its secret is no longer shown: 15 minutes have passed, or another session or key asks;
 *   what `findMadeChange` throws.
 */
export async function findMadeSecret(transaction: EntityManager, once: ChangeOnce): Promise<MadeSecret | null> {
  const made = await findMadeChange(transaction, toKeyedChange(once));
  if (made === null) return null;
  // By the wall clock: set forward it names the key to rotate, set back it shows the secret for longer, to the same caller alone.
  const isShown = once.nowMs < made.madeAtMs + secretRepeatedMs;
  const secret = isShown && made.note !== null ? openSealedSecret(made.note, once.holder) : null;
  if (secret !== null) return { keyId: made.subjectId, secret };
  const words = `This was done before, for ${made.subjectId}. Its secret is shown again for 15 minutes, to the session or key that asked for it. Rotate ${made.subjectId} for a new one.`;
  throw new AppError('conflict', words, { param: 'idempotencyKey', metadata: { apiKeyId: made.subjectId } });
}

/** Notes what a change hands out, in the transaction that makes it; nobody but its caller can read the secret there. */
export async function noteMadeSecret(transaction: EntityManager, once: ChangeOnce, made: MadeSecret): Promise<void> {
  const note = sealSecret(made.secret, once.holder);
  await noteMadeChange(transaction, toKeyedChange(once), { subjectId: made.keyId, note });
}

function toKeyedChange({ accountId, holder, input, nowMs }: ChangeOnce) {
  return { accountId, key: holder.idempotencyKey, input: JSON.stringify(input, sortFields), nowMs };
}

// The same input is the same in whatever order its fields were sent.
function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
