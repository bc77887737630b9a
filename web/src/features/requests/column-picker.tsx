import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { IconColumns } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { readColumns, requestColumns, writeColumns } from './request-columns';

/** Chooses the columns of the list; the address keeps them. */
export function ColumnPicker() {
  const [search, setSearch] = useSearchParams();
  const [isOpen, setIsOpen] = useState(false);
  const chosen = readColumns(search).map(({ id }) => id);
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
                const ids = requestColumns
                  .map((column) => column.id)
                  .filter((one) => (one === id ? isOn : chosen.includes(one)));
                setSearch(writeColumns(search, ids), { replace: true });
              }}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
