import { Between, type EntityManager, In, IsNull } from 'typeorm';
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

/** An account, deleted ones too; null: there was never one of exactly this id. */
export async function findAccountFacts(reader: EntityManager, id: string): Promise<AccountFacts | null> {
  const found = await reader.findOneBy(AccountEntity, { id });
  // MySQL and MariaDB find it with blanks behind its id, too, and whoever asked acts by the id that they asked with.
  return found?.id === id ? found : null;
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

/** The people who sign in by these accounts, in no order; those who have deleted theirs are left out. */
export async function findPeople(reader: EntityManager, ids: readonly string[]): Promise<readonly AccountFacts[]> {
  if (ids.length === 0) return [];
  return reader.findBy(AccountEntity, { id: In([...ids]), closedAtMs: IsNull() });
}

/** As `findPeople`, by their ids. */
export async function findPeopleById(
  reader: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccountFacts>> {
  return new Map((await findPeople(reader, ids)).map((person) => [person.id, person]));
}

/**
 * Accounts whose owner's name begins so, as it was typed or with capitals where names have them, in the order of the alphabet, by
 * an index.
 */
export async function findAccountsByName(
  reader: EntityManager,
  beginning: string,
  first: number,
): Promise<readonly AccountFacts[]> {
  const typed = beginning.trim();
  if (typed === '') return [];
  const lower = typed.toLowerCase();
  const capitals = lower.replace(/(^|[\s'-])(\p{L})/gu, (_, before, letter) => `${before}${letter.toUpperCase()}`);
  const spellings = [...new Set([typed, capitals, lower, typed.toUpperCase()])];
  const where = spellings.map((name) => ({ name: Between(name, `${name}\u{10FFFF}`), closedAtMs: IsNull() }));
  return reader.find(AccountEntity, { where, order: { name: 'ASC' }, take: first });
}
