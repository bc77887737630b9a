import { nameInSentence } from './format/name-in-sentence';

interface NamedKey {
  readonly id: string;
  readonly name: string;
}

/** What reports call something else than a key. */
const otherNames: readonly string[] = ['Playground', 'All others'];
const idEndLength = 6;

/**
 * What a key is called that a usage report knows by its id; the playground calls without one. Where others have its name, such as
 * one that was revoked before it was made anew, the end of its id stands behind it.
 */
export function nameOfKey(id: string, apiKeys: readonly NamedKey[]): string {
  if (id === 'playground') return 'Playground';
  const name = apiKeys.find((apiKey) => apiKey.id === id)?.name;
  if (name === undefined) return id;
  const isShared = otherNames.includes(name) || apiKeys.some((other) => other.name === name && other.id !== id);
  return isShared ? `${nameInSentence(name)} (…${id.slice(-idEndLength)})` : name;
}
