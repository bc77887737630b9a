import { TextInput, type TextInputProps } from '@mantine/core';
import { type FormEvent, useState } from 'react';

type FieldProps = Required<Pick<TextInputProps, 'value' | 'onChange'>>;

/** What is typed into a form of texts, and for each field what its input is given. */
export function useTextFields<Input extends Record<string, string>>(initial: Input) {
  const [input, setInput] = useState(initial);
  const propsOf = (field: keyof Input) => ({
    value: input[field],
    onChange: (event: FormEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setInput((before) => ({ ...before, [field]: value }));
    },
  });
  return { input, propsOf };
}

export function OperatorEmailField(props: FieldProps) {
  return <TextInput name="email" label="E-mail" type="email" autoComplete="username" required {...props} />;
}

export function OperatorCodeField(props: FieldProps) {
  return (
    <TextInput
      name="one-time-code"
      label="Code"
      description="The six digits that your app shows now."
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      {...props}
    />
  );
}
