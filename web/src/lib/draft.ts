import { findTabStorage } from './browser-storage';
import { currentSession } from './session/session-end';

type Change<Value> = Value | ((now: Value) => Value);

/**
 * Something of one session that outlives a reload and the page that shows it, for this tab alone. Who writes after the session has
 * ended, because an answer came late, writes nothing.
 */
export class Draft<Value> {
  readonly #session = currentSession();
  readonly #listeners = new Set<() => void>();
  #value: Value;
  /** What the tab's storage holds of it. */
  #stored: string | null;

  constructor(
    private readonly key: string,
    initial: Value,
  ) {
    this.#stored = readStored(key);
    this.#value = parseStored(this.#stored, initial);
  }

  /** Whether it belongs to this session, and nobody else has written or cleared the storage since. */
  get isCurrent(): boolean {
    return this.#session === currentSession() && this.#stored === readStored(this.key);
  }

  readonly read = (): Value => this.#value;

  /** A function is given what the draft is now, which may be newer than what its caller last saw. */
  readonly write = (change: Change<Value>): void => {
    if (this.#session !== currentSession()) return;
    this.#value = change instanceof Function ? change(this.#value) : change;
    const text = JSON.stringify(this.#value);
    try {
      const tab = findTabStorage();
      tab?.setItem(this.key, text);
      if (tab !== null) this.#stored = text;
    } catch {
      // Full or forbidden: the page has it all the same.
    }
    for (const listener of [...this.#listeners]) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

const drafts = new Map<string, Draft<unknown>>();

/** The draft of this name, one for all who ask. What cannot be read of it is the initial value. */
export function openDraft<Value>(name: string, initial: Value): Draft<Value> {
  const key = `tollgate.draft.${name}`;
  const known = drafts.get(key) as Draft<Value> | undefined;
  if (known?.isCurrent) return known;
  const draft = new Draft(key, initial);
  drafts.set(key, draft as Draft<unknown>);
  return draft;
}

function readStored(key: string): string | null {
  return findTabStorage()?.getItem(key) ?? null;
}

function parseStored<Value>(text: string | null, initial: Value): Value {
  try {
    return text === null ? initial : (JSON.parse(text) as Value);
  } catch {
    return initial;
  }
}
