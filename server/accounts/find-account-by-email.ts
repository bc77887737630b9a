import { type EntityManager, In, IsNull } from 'typeorm';
import { AccountEntity } from './account.entity.js';
import { listSpellings } from './mailbox.js';

/** The account that signs in with an address, in whatever spelling; null: there is none. One statement either way. */
export async function findAccountByEmail(reader: EntityManager, email: string): Promise<AccountEntity | null> {
  const spellings = listSpellings(email);
  const found = await reader.findBy(AccountEntity, { emailNormalised: In([...spellings]), closedAtMs: IsNull() });
  const rank = ({ emailNormalised }: AccountEntity) => spellings.indexOf(emailNormalised);
  // Of several on record for what are spellings of one address today, the one as it was typed.
  return found.sort((one, other) => rank(one) - rank(other))[0] ?? null;
}
