import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * One of a few words that the address keeps, so that a view can be shared, bookmarked and gone back to. What is missing or
 * unknown there is the first of `choices`, which the address leaves out.
 */
export function useSearchChoice<Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: string) => void] {
  const [search, setSearch] = useSearchParams();
  const [first] = choices;
  const chosen = choices.find((choice) => choice === search.get(name)) ?? first;
  const choose = useCallback(
    (choice: string) =>
      setSearch(
        (earlier) => {
          const next = new URLSearchParams(earlier);
          if (choice === first) next.delete(name);
          else next.set(name, choice);
          return next;
        },
        { replace: true },
      ),
    [setSearch, name, first],
  );
  return [chosen, choose];
}
