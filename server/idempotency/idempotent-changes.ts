import type { EntityManager } from 'typeorm';
import { createDatabaseClock } from '../database/time/database-clock.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import { hashOf } from './hash-of.js';
import { IdempotentAnswerEntity } from './idempotent-answer.entity.js';

/** A change that its caller may ask for again without it being made twice. */
export interface KeyedChange {
  readonly accountId: string;
  /** The caller's idempotency key: 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** What is to be changed, and how, as text. */
  readonly input: string;
  /** By this machine's clock, which is the database's on SQLite. */
  readonly nowMs: number;
}

/** What a change has made. */
export interface MadeChange {
  /** The id of what was made or changed. */
  readonly subjectId: string;
  /** What else its caller has to be told again; nothing that may not lie on a disk. null: nothing. */
  readonly note: string | null;
}

/**
 * Finds what the same change has made, in the transaction that would make it now. How long ago is not asked: rows are removed when they
 * are surely 24 hours old (`ClaimRows.sweep`), and one that is there still is of a change that was made.
 * @returns null: it is the first.
 * @throws AppError `idempotency_key_reused` when the key came with other input; InvalidInputError for a key that is none.
 */
export async function findMadeChange(
  transaction: EntityManager,
  change: KeyedChange,
): Promise<(MadeChange & { readonly madeAtMs: number }) | null> {
  if (!/^[\x20-\x7e]{1,255}$/.test(change.key)) {
    throw new InvalidInputError('idempotencyKey', 'An idempotency key has 1 to 255 printable ASCII characters.');
  }
  const row = await transaction.findOneBy(IdempotentAnswerEntity, identityOf(change));
  if (row === null) return null;
  if (row.bodyHash === hashOf(change.input)) {
    return { subjectId: row.callId, note: row.answer, madeAtMs: row.createdAtMs };
  }
  throw new AppError(
    'idempotency_key_reused',
    'This idempotency key came with other input before. Use a new key for a new change.',
    { param: 'idempotencyKey' },
  );
}

/**
 * Notes what a change has made, in the transaction that makes it: both are committed, or neither.
 * @throws a unique violation when the same was noted by another transaction meanwhile; run again, that one's is found.
 */
export async function noteMadeChange(
  transaction: EntityManager,
  change: KeyedChange,
  { subjectId, note }: MadeChange,
): Promise<void> {
  // By the clock that rows are removed by, however far that of this machine is behind.
  const clock = createDatabaseClock(transaction, { nowMs: () => change.nowMs });
  await transaction.insert(IdempotentAnswerEntity, {
    ...identityOf(change),
    bodyHash: hashOf(change.input),
    callId: subjectId,
    isFinished: true,
    answer: note,
    leaseUntilMs: null,
    createdAtMs: () => clock.sqlAfter(0),
  });
}

// No `Idempotency-Key` of a call has a line break in it, so that the two never meet.
function identityOf({ accountId, key }: KeyedChange): Pick<IdempotentAnswerEntity, 'accountId' | 'keyHash'> {
  return { accountId, keyHash: hashOf(`change\n${key}`) };
}
