import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * Writes into the address what a page shows, so that a view can be shared, bookmarked and gone back to; null and '' take a name
 * out, and what is not named stays. Of several choices one after the other, "back" undoes none: it leads to the page before.
 */
export function useSearchChange(): (values: Readonly<Record<string, string | null>>) => void {
  const [, setSearch] = useSearchParams();
  return useCallback(
    (values) =>
      setSearch(
        (earlier) => {
          const next = new URLSearchParams(earlier);
          for (const [name, value] of Object.entries(values)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
}

/** One value that the address keeps; null: none. */
export function useSearchValue(name: string): readonly [string | null, (value: string | null) => void] {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const setValue = useCallback((value: string | null) => change({ [name]: value }), [change, name]);
  return [search.get(name), setValue];
}
