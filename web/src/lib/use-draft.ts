import { useState, useSyncExternalStore } from 'react';
import { type Draft, openDraft } from './draft';

/**
 * State that outlives a reload and the way through sign-in, for this tab alone; it goes with the tab and at sign-out. What
 * cannot be read is the initial value; a browser that stores nothing keeps it for the page. It may be written after its page was
 * left, but not after the session has ended.
 */
export function useDraft<Value>(name: string, initial: Value): readonly [Value, Draft<Value>['write']] {
  const [draft] = useState(() => openDraft(name, initial));
  return [useSyncExternalStore(draft.subscribe, draft.read), draft.write];
}
