import { TextInput } from '@mantine/core';
import { IconSearch } from '../icons';

interface SearchFieldProps {
  name: string;
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** The field above a list that leaves the rows which have what is typed. */
export function SearchField({ label, onChange, ...others }: SearchFieldProps) {
  return (
    <TextInput
      aria-label={label}
      type="search"
      autoComplete="off"
      leftSection={<IconSearch size={16} aria-hidden />}
      onChange={(event) => onChange(event.currentTarget.value)}
      size="sm"
      flex="1 1 200px"
      maw={320}
      {...others}
    />
  );
}
