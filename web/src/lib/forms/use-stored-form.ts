import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { changedFields } from './changed-fields';
import { useKeptForm } from './use-kept-form';

interface StoredFormOptions<Values> extends Pick<UseFormInput<Values>, 'validate'> {
  /** By which it is known what was typed into it, and not saved: see `useKeptForm`. */
  readonly keptAs?: string;
  /** The fields that may be kept. */
  readonly keptFields?: readonly (keyof Values)[];
}

interface StoredForm<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>;
  /** What the form shows as stored: what differs from it was changed here. */
  readonly shown: Values;
  /** Shows what is stored after a change was made, in every field. */
  readonly showStored: (now: Values) => void;
  /** Whether it begins with what was typed before. */
  readonly isRestored: boolean;
  /** Gives up what was typed. */
  readonly discard: () => void;
}

/**
 * A form of what the server has stored, for pages that stay open. A page may show at first what it knew when it was last open: as
 * soon as something else is stored, each field shows it that was not changed here. Send `changedFields(shown, values)`.
 */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  { keptAs, keptFields = [], ...options }: StoredFormOptions<Values> = {},
): StoredForm<Values> {
  const [shown, setShown] = useState(stored);
  const kept = useKeptForm(keptAs ?? null, Object.fromEntries(keptFields.map((field) => [field, shown[field]])));
  const form = useForm<Values>({ ...options, initialValues: { ...stored, ...kept.start } });
  // Once what is shown and what stands in the fields are of one moment.
  const { keep } = kept;
  useEffect(() => keep(form.values), [keep, form.values]);
  const known = useRef(JSON.stringify(stored));
  const now = JSON.stringify(stored);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when something else is stored, and not at each key press
  useEffect(() => {
    if (known.current === now) return;
    known.current = now;
    form.setValues({ ...stored, ...changedFields(shown, form.getValues()) });
    setShown(stored);
  }, [now]);
  const showStored = (values: Values) => {
    setShown(values);
    form.setValues(values);
    kept.forget();
  };
  return { form, shown, showStored, isRestored: kept.isRestored, discard: () => showStored(shown) };
}
