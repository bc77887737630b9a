import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { itemNameLengthMax } from '../lib/kept-list';
import classes from './saved-items.module.css';

interface SavedItemsProps {
  /** What one calls them: "Saved filters". */
  label: string;
  nameLabel: string;
  /** Stands where there are none. */
  emptyText: string;
  names: readonly string[];
  onOpen: (name: string) => void;
  onDelete: (name: string) => void;
  onSave: (name: string) => void;
  /** Whether there is something to save; left out: always. */
  canSave?: boolean;
}

/** A button that opens what is kept under a name in this browser, and keeps more. */
export function SavedItems(props: SavedItemsProps) {
  const { label, nameLabel, emptyText, names, onOpen, onDelete, onSave, canSave = true } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus shadow="md" radius="md">
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconBookmark size={16} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label={label}>
        <Stack gap="sm">
          {names.length === 0 && (
            <Text size="sm" c="dimmed">
              {emptyText}
            </Text>
          )}
          {names.length > 0 && (
            <ul className={classes.items}>
              {names.map((one) => (
                <li key={one}>
                  <Button
                    variant="subtle"
                    size="sm"
                    className={classes.open}
                    onClick={() => {
                      setIsOpen(false);
                      onOpen(one);
                    }}
                  >
                    {one}
                  </Button>
                  <Button
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Delete ${one}`}
                    onClick={() => onDelete(one)}
                  >
                    <IconTrash size={16} aria-hidden />
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              onSave(name);
              setName('');
            }}
          >
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label={nameLabel}
                name="item"
                autoComplete="off"
                maxLength={itemNameLengthMax}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                required
              />
              <Button type="submit" disabled={name.trim() === '' || !canSave}>
                Save
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
