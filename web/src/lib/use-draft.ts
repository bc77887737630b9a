import { useCallback, useState } from 'react';

/**
 * State that outlives a reload and the way through sign-in, for this tab alone; it goes with the tab and at sign-out. What
 * cannot be read is the initial value; a browser that stores nothing keeps it for the page.
 */
export function useDraft<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const key = `tollgate.draft.${name}`;
  const [value, setValue] = useState<Value>(() => {
    try {
      const kept = sessionStorage.getItem(key);
      return kept === null ? initial : (JSON.parse(kept) as Value);
    } catch {
      return initial;
    }
  });
  const keep = useCallback(
    (next: Value) => {
      setValue(next);
      try {
        sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Full or forbidden: the page has it all the same.
      }
    },
    [key],
  );
  return [value, keep];
}
