import { TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { formatCredits } from '../lib/format/format-credits';
import { type NumberBounds, readNumber } from '../lib/read-number';
import type { NoteFault } from '../lib/use-field-faults';

type Looks = 'aria-label' | 'description' | 'disabled' | 'flex' | 'label' | 'required' | 'size';

interface NumberFieldProps extends Pick<TextInputProps, Looks>, NumberBounds {
  /** Shown before the number, such as "$"; no part of what is typed. */
  prefix?: string;
  /** Shown at the end of the field, such as " credits"; no part of what is typed. */
  suffix?: string;
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
 * The one field for a number. It shows what was typed or pasted, letter for letter, and reports the very number that `readNumber`
 * finds there, or a fault: it never rounds, cuts off or moves a number into its bounds, and takes no comma for a point. Once it is
 * left, it shows the number in groups of three digits, as pages do, or the fault.
 */
export function NumberField(props: NumberFieldProps) {
  const { name, value, onChange, onFault, error, min, max, decimals, emptyFault, ...looks } = props;
  const { prefix, suffix, ...others } = looks;
  const bounds = { min, max, emptyFault, ...(decimals !== undefined && { decimals }) };
  const [text, setText] = useState(write(value));
  const [known, setKnown] = useState(value);
  const [isShown, setShown] = useState(value !== null);
  const read = (typed: string) => readNumber(typed, bounds);
  // Another number from outside takes the place of what was typed; the field's own comes back as it was written.
  if (value !== known) {
    setKnown(value);
    const reading = read(text);
    if (!('value' in reading) || reading.value !== value) setText(write(value));
  }
  const reading = read(text);
  const fault = 'fault' in reading ? reading.fault : null;
  useLayoutEffect(() => {
    onFault(name, fault);
    return () => onFault(name, null);
  }, [name, fault, onFault]);

  function change(typed: string) {
    setText(typed);
    const next = read(typed);
    if (fault === null || 'value' in next) setShown(false);
    if ('value' in next && next.value !== value) onChange(next.value);
  }
  return (
    <TextInput
      {...others}
      {...(prefix !== undefined && { leftSection: prefix, leftSectionPointerEvents: 'none' })}
      {...(suffix !== undefined && {
        rightSection: suffix.trim(),
        rightSectionWidth: `${suffix.trim().length + 2}ch`,
        rightSectionPointerEvents: 'none',
      })}
      name={name}
      // With decimals the usual keyboard: that of digits has a comma in the place of the point in some countries.
      {...(!decimals && { inputMode: 'numeric' })}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => {
        if ('value' in reading) setText(write(reading.value));
        setShown(true);
      }}
      error={(isShown && fault) || error}
    />
  );
}

function write(value: number | null): string {
  return value === null ? '' : formatCredits(value);
}
