import { useCallback } from 'react';
import { useNavigate, useSearchParams } from 'react-router';

/** Names with what they are to hold, where null and '' take a name out and others stay; or a function from the address as it is now. */
export type SearchChange = Readonly<Record<string, string | null>> | ((search: URLSearchParams) => URLSearchParams);

/**
 * Writes into the address what a page shows, so that a view can be shared, bookmarked and gone back to. A change starts from the
 * browser's address and not from what was drawn last, so that of two quick choices none is lost.
 *
 * @returns Of several choices one after the other, "back" undoes none: it leads to the page before. With `push`, it undoes this one.
 */
export function useSearchChange(): (change: SearchChange, how?: 'replace' | 'push') => void {
  const navigate = useNavigate();
  return useCallback(
    (change, how = 'replace') => {
      const search = new URLSearchParams(window.location.search);
      const next = typeof change === 'function' ? change(search) : withValues(search, change);
      void navigate(`?${next}`, { replace: how === 'replace' });
    },
    [navigate],
  );
}

function withValues(search: URLSearchParams, values: Readonly<Record<string, string | null>>): URLSearchParams {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') search.delete(name);
    else search.set(name, value);
  }
  return search;
}

/** One value that the address keeps; null: none. */
export function useSearchValue(name: string): readonly [string | null, (value: string | null) => void] {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const setValue = useCallback((value: string | null) => change({ [name]: value }), [change, name]);
  return [search.get(name), setValue];
}
