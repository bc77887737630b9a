import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { type NumberBounds, readNumber } from '../lib/read-number';
import type { NoteFault } from '../lib/use-field-faults';

type Looks =
  | 'aria-label'
  | 'description'
  | 'disabled'
  | 'flex'
  | 'hideControls'
  | 'label'
  | 'prefix'
  | 'required'
  | 'size'
  | 'step'
  | 'suffix'
  | 'thousandSeparator';

interface NumberFieldProps extends Pick<NumberInputProps, Looks>, NumberBounds {
  /** By which the browser and the form know it. */
  name: string;
  value: number | null;
  /** Told the number that stands in the field, null when it is empty and may be. What cannot be sent is told to `onFault` alone. */
  onChange: (value: number | null) => void;
  /** Told what is wrong with what stands there, in words. The form must not be sent meanwhile. */
  onFault: NoteFault;
  'data-autofocus'?: boolean;
  /** What somebody else, such as the server, has found wrong with the number. */
  error?: ReactNode;
}

/**
 * The one field for a number. It shows what was typed, letter for letter, and reports the very number that it shows, or a fault: it
 * never rounds, cuts off or moves a number into its bounds. A fault is shown once the field is left.
 */
export function NumberField(props: NumberFieldProps) {
  const { name, value, onChange, onFault, error, min, max, decimals, emptyFault, ...looks } = props;
  const bounds = { min, max, emptyFault, ...(decimals !== undefined && { decimals }) };
  const [text, setText] = useState<string | number>(value ?? '');
  const [known, setKnown] = useState(value);
  const [isShown, setShown] = useState(value !== null);
  const read = (typed: string | number) => readNumber(String(typed), bounds);
  // Another number from outside takes the place of what was typed; the field's own comes back as it was written.
  if (value !== known) {
    setKnown(value);
    const reading = read(text);
    if (!('value' in reading) || reading.value !== value) setText(value ?? '');
  }
  const reading = read(text);
  const fault = 'fault' in reading ? reading.fault : null;
  useLayoutEffect(() => {
    onFault(name, fault);
    return () => onFault(name, null);
  }, [name, fault, onFault]);

  function change(typed: string | number) {
    setText(typed);
    const next = read(typed);
    if (fault === null || 'value' in next) setShown(false);
    if ('value' in next && next.value !== value) onChange(next.value);
  }
  return (
    <NumberInput
      {...looks}
      name={name}
      min={min}
      {...(max !== undefined && { max })}
      clampBehavior="none"
      value={text}
      onChange={change}
      // The library's own way to take zeros away would round the digits behind them.
      trimLeadingZeroesOnBlur={false}
      onBlur={() => {
        setText(String(text).replace(/^0+(?=\d)/, ''));
        setShown(true);
      }}
      error={(isShown && fault) || error}
    />
  );
}
