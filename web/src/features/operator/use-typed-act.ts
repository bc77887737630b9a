import { useState } from 'react';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import type { Act, ActField } from './act-dialog';

/** What stands in the dialog of an act. */
export interface Typed {
  readonly reason: string;
  readonly credits: number | null;
  readonly dollars: number | null;
  /** Of the act's own fields, by their names. */
  readonly values: Readonly<Record<string, string>>;
}

/** What is typed into the dialog of an act. Of one that says what it is about it is kept, but for secrets, until it is done or cancelled. */
export function useTypedAct({ madeOnce, keptAs = madeOnce, fields = [] }: Act, onClose: () => void) {
  const [empty] = useState(() => ({ reason: '', credits: null, dollars: null, values: initialOf(fields) }));
  const kept = useKeptForm(keptAs === undefined ? null : `act ${keptAs}`, toKept(empty, fields));
  const [typed, setTyped] = useState<Typed>(() => fromKept(kept.start, empty));
  const change = (some: Partial<Typed>) => {
    setTyped({ ...typed, ...some });
    kept.keep(toKept({ ...typed, ...some }, fields));
  };
  const discard = () => {
    setTyped(empty);
    kept.forget();
  };
  const cancel = () => {
    kept.forget();
    onClose();
  };
  return { typed, change, kept, discard, cancel };
}

function initialOf(fields: readonly ActField[]): Typed['values'] {
  return Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial]));
}

type KeptParts = Readonly<Record<string, string | number | null>>;

const keyOf = (name: string) => `values.${name}`;

/** Each field by itself, without the secret ones. */
function toKept({ values, ...others }: Typed, fields: readonly ActField[]): KeptParts {
  const open = fields.filter(({ isSecret = false }) => !isSecret);
  return { ...others, ...Object.fromEntries(open.map(({ name }) => [keyOf(name), values[name] ?? ''])) };
}

function fromKept(parts: KeptParts, { values, ...others }: Typed): Typed {
  const read = <Value>(name: string, empty: Value) => (parts[name] === undefined ? empty : (parts[name] as Value));
  return {
    reason: read('reason', others.reason),
    credits: read('credits', others.credits),
    dollars: read('dollars', others.dollars),
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(keyOf(name), value)])),
  };
}
