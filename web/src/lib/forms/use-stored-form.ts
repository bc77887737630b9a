import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { changedFields } from './changed-fields';

interface StoredForm<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>;
  /** What the form shows as stored: what differs from it was changed here. */
  readonly shown: Values;
  /** Shows what is stored after a change was made, in every field. */
  readonly showStored: (now: Values) => void;
}

/**
 * A form of what the server has stored, for pages that stay open. A page may show at first what it knew when it was last open: as
 * soon as something else is stored, each field shows it that was not changed here. Send `changedFields(shown, values)`.
 */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  options: Pick<UseFormInput<Values>, 'validate'> = {},
): StoredForm<Values> {
  const form = useForm<Values>({ ...options, initialValues: stored });
  const [shown, setShown] = useState(stored);
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
  };
  return { form, shown, showStored };
}
