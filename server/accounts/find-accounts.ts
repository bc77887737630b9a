import { Between, type EntityManager } from 'typeorm';
import { AccountEntity } from './account.entity.js';
import { normaliseEmail } from './mailbox.js';

/** What an operator sees of an account's owner. */
export interface AccountFacts {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly emailVerifiedAtMs: number | null;
  readonly closedAtMs: number | null;
}

/** An account, deleted ones too; null: there was never one. */
export async function findAccountFacts(reader: EntityManager, id: string): Promise<AccountFacts | null> {
  return reader.findOneBy(AccountEntity, { id });
}

/** Accounts whose e-mail address begins so, in the order of the alphabet, by an index. */
export async function findAccountsByEmail(
  reader: EntityManager,
  beginning: string,
  first: number,
): Promise<readonly AccountFacts[]> {
  const normalised = normaliseEmail(beginning);
  if (normalised === '') return [];
  // Names are compared byte by byte, so what begins so stands between these two.
  const where = { emailNormalised: Between(normalised, `${normalised}\u{10FFFF}`) };
  return reader.find(AccountEntity, { where, order: { emailNormalised: 'ASC' }, take: first });
}
