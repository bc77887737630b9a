import { isId } from '../kernel/ids.js';

/** An account, and what it was found by. */
export interface FoundAccount {
  readonly accountId: string;
  readonly by: 'account' | 'email' | 'key' | 'call' | 'purchase';
}

type Owned = 'account' | 'key' | 'call' | 'purchase';

export interface AccountFinderParts {
  /** Whose a thing is, by its id; null: there is none. Each asks the owner of its table, by an index. */
  readonly ownerOf: Readonly<Record<Owned, (id: string) => Promise<string | null>>>;
  readonly findByEmail: (beginning: string, first: number) => Promise<readonly { readonly id: string }[]>;
}

const foundMax = 20;
const kinds: readonly Owned[] = ['account', 'key', 'call', 'purchase'];

/**
 * Finds accounts by what a customer's letter quotes: the id of an account, key, call or purchase, or the beginning of an e-mail
 * address. At most 20, and each way goes by an index, however many accounts there are.
 */
export async function findAccounts(
  { ownerOf, findByEmail }: AccountFinderParts,
  text: string,
): Promise<readonly FoundAccount[]> {
  const words = text.trim();
  const kind = kinds.find((candidate) => isId(candidate, words));
  if (kind !== undefined) {
    const accountId = await ownerOf[kind](words);
    return accountId === null ? [] : [{ accountId, by: kind }];
  }
  const found = await findByEmail(words, foundMax);
  return found.map(({ id }) => ({ accountId: id, by: 'email' as const }));
}
