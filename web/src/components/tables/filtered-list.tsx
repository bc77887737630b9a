import { Group, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { EmptyState } from '../empty-state';
import { IconSearch } from '../icons';

/** From this many rows on, looking for one helps. */
const filterFrom = 10;

interface FilteredListProps<Row> {
  rows: readonly Row[];
  /** What is looked for in a row. */
  textOf: (row: Row) => string;
  /** What one of the rows is, and what all are. */
  what: { readonly one: string; readonly many: string };
  /** Names what is looked for, such as "Name or e-mail". */
  placeholder: string;
  children: (found: readonly Row[]) => ReactNode;
}

/** A list with a field above it, once it is long, that leaves the rows which have what is typed, and says how many those are. */
export function FilteredList<Row>({ rows, textOf, what, placeholder, children }: FilteredListProps<Row>) {
  const [search, setSearch] = useState('');
  // The field may be gone with rows that were removed, and nothing may be hidden without it.
  if (rows.length < filterFrom) return children(rows);
  const words = search.trim().toLowerCase();
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(words));
  return (
    <>
      <Group gap="sm">
        <SearchField
          name={`find-${what.one}`}
          label={`Find a ${what.one}`}
          placeholder={placeholder}
          value={search}
          onChange={setSearch}
        />
        <Text size="sm" c="dimmed" role="status" className="numeric">
          {words === '' ? `${rows.length} ${what.many}` : `${found.length} of ${rows.length} ${what.many}`}
        </Text>
      </Group>
      {found.length > 0 ? (
        children(found)
      ) : (
        <EmptyState icon={<IconSearch size={24} />} title={`No ${what.one} fits`}>
          Try a shorter search.
        </EmptyState>
      )}
    </>
  );
}

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
