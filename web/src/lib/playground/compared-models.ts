export const comparedMax = 3;

/** The models that an address compares, `?compare=a,b`: at most three, each once, and only such as are known. */
export function readCompared(search: URLSearchParams, known: readonly string[]): readonly string[] {
  const named = (search.get('compare') ?? '').split(',').filter((id) => known.includes(id));
  return [...new Set(named)].slice(0, comparedMax);
}

/** Writes them into an address; everything else there stays. */
export function writeCompared(search: URLSearchParams, ids: readonly string[]): URLSearchParams {
  const next = new URLSearchParams(search);
  if (ids.length === 0) next.delete('compare');
  else next.set('compare', ids.join(','));
  return next;
}
