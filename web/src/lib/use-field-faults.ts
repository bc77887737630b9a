import { useCallback, useState } from 'react';

/** Which fields of a form hold what cannot be sent. */
export interface FieldFaults {
  /** What is wrong with one of them; null: with none. While there is one, the form must not be sent. */
  readonly first: string | null;
  /** A field says what is wrong with it, and null when nothing is, or when it is no longer there. */
  readonly note: NoteFault;
}

export type NoteFault = (field: string, fault: string | null) => void;

/** Gathers the faults of a form's fields. */
export function useFieldFaults(): FieldFaults {
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const note = useCallback<NoteFault>(
    (field, fault) =>
      setFaults((known) => {
        if ((known[field] ?? null) === fault) return known;
        const { [field]: _before, ...others } = known;
        return fault === null ? others : { ...others, [field]: fault };
      }),
    [],
  );
  return { first: Object.values(faults)[0] ?? null, note };
}
