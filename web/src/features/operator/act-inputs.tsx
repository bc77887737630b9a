import { TextInput } from '@mantine/core';
import { NumberField } from '../../components/number-field';
import type { NoteFault } from '../../lib/use-field-faults';

interface TextFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Why an act is done. */
export function ReasonInput({ isFirst, value, onChange }: TextFieldProps & { isFirst: boolean }) {
  return (
    <TextInput
      name="reason"
      label="Reason"
      description="For the operators’ log. Customers do not see it."
      required
      minLength={3}
      maxLength={191}
      data-autofocus={isFirst || undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A code of the operator’s app. */
export function CodeInput({ value, onChange }: TextFieldProps) {
  return (
    <TextInput
      name="one-time-code"
      label="Code"
      description="The six digits that your app shows now. Your last code was more than ten minutes ago."
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      autoFocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface DollarInputProps {
  left: number;
  value: number | null;
  onChange: (value: number | null) => void;
  onFault: NoteFault;
}

/** How much of a payment is given back. */
export function DollarInput({ left, value, onChange, onFault }: DollarInputProps) {
  return (
    <NumberField
      name="dollars"
      label="Dollars"
      description={`Empty: all that is left, $${left.toFixed(2)}.`}
      min={0.01}
      decimals={2}
      value={value}
      onChange={onChange}
      onFault={onFault}
    />
  );
}
