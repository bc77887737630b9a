import { useCallback } from 'react';
import { useSearchValue } from './use-search-value';

/** One of a few words that the address keeps. What is missing or unknown there is the first of `choices`, which the address leaves out. */
export function useSearchChoice<Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: string) => void] {
  const [value, setValue] = useSearchValue(name);
  const [first] = choices;
  const chosen = choices.find((choice) => choice === value) ?? first;
  const choose = useCallback((choice: string) => setValue(choice === first ? null : choice), [setValue, first]);
  return [chosen, choose];
}
