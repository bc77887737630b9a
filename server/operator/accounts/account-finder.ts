import { isId } from '../../kernel/ids.js';

/** An account, and what it was found by. */
export interface FoundAccount {
  readonly accountId: string;
  readonly by: 'account' | 'email' | 'name' | 'key' | 'call' | 'purchase' | 'payment';
}

type Owned = 'account' | 'key' | 'call' | 'purchase';

export interface AccountFinderParts {
  /** Whose a thing is, by its id; null: there is none. Each asks the owner of its table, by an index. */
  readonly ownerOf: Readonly<Record<Owned, (id: string) => Promise<string | null>>>;
  readonly findByEmail: (beginning: string, first: number) => Promise<readonly { readonly id: string }[]>;
  readonly findByName: (beginning: string, first: number) => Promise<readonly { readonly id: string }[]>;
  readonly findByShownKey: (text: string, first: number) => Promise<readonly string[]>;
  readonly findByPayment: (id: string) => Promise<string | null>;
}

const foundMax = 20;
const wordsMax = 191;
const kinds: readonly Owned[] = ['account', 'key', 'call', 'purchase'];

/**
 * Finds accounts by what a customer's letter quotes: the id of an account, key, call, purchase or payment, what is shown of a key,
 * or the beginning of an e-mail address or a name. At most 20, and each way goes by an index, however many accounts there are.
 */
export async function findAccounts(parts: AccountFinderParts, text: string): Promise<readonly FoundAccount[]> {
  const words = text.trim();
  if (words === '' || words.length > wordsMax) return [];
  const kind = kinds.find((candidate) => isId(candidate, words));
  if (kind !== undefined) return asFound(kind, [await parts.ownerOf[kind](words)]);
  if (words.startsWith('sk-')) return asFound('key', await parts.findByShownKey(words, foundMax));
  // Stripe's ids, and those of the simulated checkout.
  if (/^(cs|pi|in|sim)_\w+$/.test(words)) return asFound('payment', [await parts.findByPayment(words)]);
  const byEmail = asFound('email', toIds(await parts.findByEmail(words, foundMax)));
  if (words.includes('@')) return byEmail;
  const known = new Set(byEmail.map(({ accountId }) => accountId));
  const byName = asFound('name', toIds(await parts.findByName(words, foundMax)));
  return [...byEmail, ...byName.filter(({ accountId }) => !known.has(accountId))].slice(0, foundMax);
}

function toIds(found: readonly { readonly id: string }[]): readonly string[] {
  return found.map(({ id }) => id);
}

function asFound(by: FoundAccount['by'], ids: readonly (string | null)[]): readonly FoundAccount[] {
  return ids.flatMap((accountId) => (accountId === null ? [] : [{ accountId, by }]));
}
