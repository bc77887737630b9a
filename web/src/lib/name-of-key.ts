/** What a key is called that a usage report knows by its id; the playground calls without one. */
export function nameOfKey(id: string, apiKeys: readonly { readonly id: string; readonly name: string }[]): string {
  if (id === 'playground') return 'Playground';
  return apiKeys.find((apiKey) => apiKey.id === id)?.name ?? id;
}
