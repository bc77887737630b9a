import type { EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { SignupGiftCountEntity } from './sign-up/signup-gift-count.entity.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Such as `at 2026-01-31T07`; every other one that a caller is told of is of a day. */
const hourlyScope = / at \d{4}-\d\d-\d\dT\d\d$/;

/** A count is full; its message says which. */
export class TooManyError extends Error {
  constructor(private readonly scope: string) {
    super(`no more for ${scope}`);
  }

  /** Milliseconds until its day or hour is over, by the same clock, and the count begins anew. */
  waitMs(nowMs: number): number {
    const periodMs = hourlyScope.test(this.scope) ? hourMs : dayMs;
    return periodMs - (nowMs % periodMs);
  }
}

/**
 * Takes one of at most `max`, in the caller's transaction; whoever else does at this moment, the database keeps the bound.
 * @param scope What is counted and when, such as `network 192.0.2.0/24 on 2026-01-31`; at most 191 characters.
 * @throws TooManyError when none is left; the caller's transaction must not be committed then.
 */
export async function takeOne(transaction: EntityManager, scope: string, max: number): Promise<void> {
  const takeAnother = () =>
    transaction
      .createQueryBuilder()
      .update(SignupGiftCountEntity)
      .set({ given: () => 'given + 1' })
      .where('scope = :scope AND given < :max', { scope, max })
      .execute();
  if ((await takeAnother()).affected === 1) return;
  if (await transaction.existsBy(SignupGiftCountEntity, { scope })) throw new TooManyError(scope);
  // Ignored when somebody else makes the same row at this moment; then the count below is that row's.
  await transaction
    .createQueryBuilder()
    .insert()
    .into(SignupGiftCountEntity)
    .values({ scope, given: 0 })
    .orIgnore()
    .execute();
  if ((await takeAnother()).affected !== 1) throw new TooManyError(scope);
}

/**
 * What whoever asked is told instead of the error of a count that is full; any other error as it is.
 * @param say What has happened and what is to be done, of how long the wait is.
 */
export function refuseTooMany(error: unknown, nowMs: number, say: (wait: string) => string): unknown {
  if (!(error instanceof TooManyError)) return error;
  const retryAfterMs = error.waitMs(nowMs);
  return new AppError('rate_limit_exceeded', say(nameWait(retryAfterMs)), { retryAfterMs, cause: error });
}

/** How it is said of mails with a link. */
export function sayOfMails(wait: string): string {
  return `Too many of these e-mails were sent. Check your spam folder, or try again in ${wait}.`;
}

/** Whether any was taken of this scope. */
export function wasTaken(reader: EntityManager, scope: string): Promise<boolean> {
  return reader.existsBy(SignupGiftCountEntity, { scope });
}

/** How a person is told of a wait: `7 minute(s)`, and from two hours on `5 hours`; never less than it is. */
function nameWait(waitMs: number): string {
  return waitMs < 2 * hourMs ? `${Math.ceil(waitMs / 60_000)} minute(s)` : `${Math.ceil(waitMs / hourMs)} hours`;
}
