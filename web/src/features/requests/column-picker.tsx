import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { IconColumns } from '../../components/icons';
import { useSearchChange } from '../../lib/use-search-value';
import { readColumns, requestColumns, writeColumns } from './request-columns';

/** Chooses the columns of the list; the address keeps them. */
export function ColumnPicker() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const [isOpen, setIsOpen] = useState(false);
  const chosen = chosenIds(search);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus shadow="md" radius="md">
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconColumns size={16} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {requestColumns.map(({ id, header }) => (
            <Checkbox
              key={id}
              label={header}
              checked={chosen.includes(id)}
              onChange={(event) => {
                const isOn = event.currentTarget.checked;
                change((now) => {
                  const others = chosenIds(now);
                  const ids = requestColumns.map((column) => column.id);
                  return writeColumns(
                    now,
                    ids.filter((one) => (one === id ? isOn : others.includes(one))),
                  );
                });
              }}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function chosenIds(search: URLSearchParams): readonly string[] {
  return readColumns(search).map(({ id }) => id);
}
