import type { EntityManager } from 'typeorm';
import { SignupGiftCountEntity } from './sign-up/signup-gift-count.entity.js';

/** A count is full; its message says which. */
export class TooManyError extends Error {}

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
  if (await transaction.existsBy(SignupGiftCountEntity, { scope })) throw new TooManyError(`no more for ${scope}`);
  // Ignored when somebody else makes the same row at this moment; then the count below is that row's.
  await transaction
    .createQueryBuilder()
    .insert()
    .into(SignupGiftCountEntity)
    .values({ scope, given: 0 })
    .orIgnore()
    .execute();
  if ((await takeAnother()).affected !== 1) throw new TooManyError(`no more for ${scope}`);
}

/** Whether any was taken of this scope. */
export function wasTaken(reader: EntityManager, scope: string): Promise<boolean> {
  return reader.existsBy(SignupGiftCountEntity, { scope });
}
