import { Select, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isEnter } from '../../lib/forms/is-enter';
import type { MissingChoices } from '../../lib/use-filter-choices';
import { useSearchValue } from '../../lib/use-search-value';

interface FilterProps {
  label: string;
  /** The name in the address. */
  name: string;
}

type Choice = string | { readonly value: string; readonly label: string };

interface SelectFilterProps extends FilterProps {
  readonly choices: readonly Choice[];
  /** Why `choices` are not there; they are asked for once more when it is opened. */
  readonly missing?: MissingChoices | null;
}

/** A filter that the address keeps, one of a few. What the address names is offered even where `choices` do not have it. */
export function SelectFilter({ label, name, choices, missing = null }: SelectFilterProps) {
  const [value, setValue] = useSearchValue(name);
  const isOffered = choices.some((choice) => (typeof choice === 'string' ? choice : choice.value) === value);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={value === null || isOffered ? [...choices] : [...choices, value]}
      value={value}
      onChange={setValue}
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}`, 'aria-hidden': false, tabIndex: 0, size: '24' }}
      searchable={choices.length > 8}
      nothingFoundMessage={missing?.words ?? (choices.length === 0 ? 'None yet' : 'No match')}
      {...(missing && { onDropdownOpen: missing.ask })}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}

/** A filter that the address keeps, in words of one's own: it holds once one presses Enter or leaves the field. */
export function TextFilter({ label, name, maxLength = 64 }: FilterProps & { maxLength?: number }) {
  const [value, setValue] = useSearchValue(name);
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const apply = () => {
    if (text.trim() !== (value ?? '')) setValue(text.trim());
  };
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={label}
      placeholder={label}
      name={name}
      maxLength={maxLength}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (isEnter(event)) apply();
      }}
    />
  );
}
