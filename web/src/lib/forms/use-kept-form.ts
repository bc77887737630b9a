import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { openDraft } from '../draft';
import { isRefusal } from '../graphql-error-message';
import { changedFields } from './changed-fields';

/** What was typed into a form and not sent: the fields alone that differ from what the form showed. */
interface KeptFields {
  readonly keptAtMs: number;
  readonly changes: Readonly<Record<string, unknown>>;
}

type KeptForms = Readonly<Record<string, KeptFields>>;

interface KeptForm<Values> {
  /** What the form begins with: what it shows, and over it what was typed before. */
  readonly start: Values;
  /** Whether anything that was typed before stands in it, and is neither sent nor given up yet. */
  readonly isRestored: boolean;
  /** Told what stands in the form now. Only fields that `shown` has are kept. */
  readonly keep: (values: object) => void;
  /** It was sent, or cancelled. */
  readonly forget: () => void;
  /** To be called before it is sent, where it must not be made twice: what may have been made is not offered as unsent to the next page. */
  readonly send: () => void;
  /** It failed after `send`: what the server refused is kept again. After any other failure nothing is kept from this page any more. */
  readonly fail: (error: unknown) => void;
}

const keptForMs = 24 * 60 * 60 * 1_000;
/** Those of the forms that were typed into last. */
const formsMax = 20;
const charactersMax = 100_000;
const noForms: KeptForms = {};

/** Of whom the forms are where the tab's own session does not say so; '': of that session. */
export const KeptFormOwner = createContext('');

/**
 * Keeps what is typed into a form for this tab, so that a session that ends by itself, or a reload, does not cost it: whoever signs in
 * again to the same account finds it there. It is kept for a day, until it is sent or cancelled, or another person signs in.
 * @param name Of the form, and of what it is about, such as `key key_1`. null: nothing is kept.
 * @param shown What is stored, for the fields alone that may be kept: never a password, a secret or a code.
 */
export function useKeptForm<Values extends object>(name: string | null, shown: Values): KeptForm<Values> {
  const owner = useContext(KeptFormOwner);
  const fullName = name === null ? null : `${owner} ${name}`;
  const [draft] = useState(() => openDraft('forms', noForms));
  const [kept] = useState(() => findChanges(draft.read(), fullName, shown));
  const [start] = useState<Values>(() => ({ ...shown, ...kept }));
  const [isRestored, setRestored] = useState(Object.keys(kept).length > 0);
  const latest = useRef({ fullName, shown });
  const sent = useRef<KeptFields['changes'] | null>(null);
  useEffect(() => {
    latest.current = { fullName, shown };
  });

  const write = useCallback(
    (changes: Readonly<Record<string, unknown>>) => {
      const { fullName: key } = latest.current;
      if (key === null) return;
      const isKept = Object.keys(changes).length > 0 && JSON.stringify(changes).length <= charactersMax;
      // What is shown once more lasts no longer for it.
      const known = draft.read()[key];
      if (isKept ? JSON.stringify(known?.changes) === JSON.stringify(changes) : known === undefined) return;
      draft.write((forms) => withForm(forms, key, isKept ? { keptAtMs: Date.now(), changes } : null));
    },
    [draft],
  );
  const keep = useCallback(
    (values: object) => {
      if (sent.current !== null) return;
      const { shown: now } = latest.current;
      const mayBeKept = Object.entries(values).filter(([field]) => field in now);
      write(changedFields(now, Object.fromEntries(mayBeKept) as Values));
    },
    [write],
  );
  const forget = useCallback(() => {
    write({});
    setRestored(false);
  }, [write]);
  const send = useCallback(() => {
    sent.current ??= draft.read()[latest.current.fullName ?? '']?.changes ?? {};
    write({});
  }, [draft, write]);
  const fail = useCallback(
    (error: unknown) => {
      if (!isRefusal(error)) return setRestored(false);
      const changes = sent.current;
      sent.current = null;
      if (changes !== null) write(changes);
    },
    [write],
  );
  return { start, isRestored, keep, forget, send, fail };
}

/** Forgets the forms of an owner who has signed out. */
export function forgetFormsOf(owner: string): void {
  openDraft('forms', noForms).write((forms) =>
    Object.fromEntries(Object.entries(forms).filter(([name]) => !name.startsWith(`${owner} `))),
  );
}

function findChanges<Values extends object>(forms: KeptForms, name: string | null, shown: Values): Partial<Values> {
  const form = name === null ? undefined : forms[name];
  if (form === undefined || isOld(form)) return {};
  // The page may be of another release than the one that kept it; what was stored meanwhile is no change any more.
  const known = Object.entries(form.changes).filter(([field]) => field in shown);
  return changedFields(shown, { ...shown, ...Object.fromEntries(known) });
}

/** The others as they are, but for those that are too old or too many. */
function withForm(forms: KeptForms, name: string, form: KeptFields | null): KeptForms {
  const others = Object.entries(forms).filter(([other, kept]) => other !== name && !isOld(kept));
  const own = form === null ? [] : [[name, form] as const];
  const newestFirst = [...own, ...others].sort(([, one], [, other]) => other.keptAtMs - one.keptAtMs);
  return Object.fromEntries(newestFirst.slice(0, formsMax));
}

// A clock that was set back makes nothing last longer.
function isOld({ keptAtMs }: KeptFields): boolean {
  return Math.abs(Date.now() - keptAtMs) >= keptForMs;
}
