import { Button, Checkbox, Group, Popover, type PopoverProps, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { hasVisible, shownName } from '../../lib/format/visible-name';
import { itemNameLengthMax } from '../../lib/kept-list';
import type { AccountItems } from '../../lib/use-account-items';
import { FormFault } from '../form-fault';
import { ConfirmModal } from '../forms/confirm-modal';
import { IconBookmark, IconTrash } from '../icons';
import classes from './saved-items.module.css';

interface NamedItems {
  readonly names: readonly string[];
  readonly onOpen: (name: string) => void;
  readonly onDelete: (name: string) => void;
}

interface SavedItemsProps extends NamedItems {
  /** What one calls them: "Saved filters". */
  label: string;
  nameLabel: string;
  /** Stands where this browser keeps none. */
  emptyText: string;
  /** @returns why it is not kept; null: it is. */
  onSave: (name: string) => string | null;
  /** Whether there is something to save; left out: always. */
  canSave?: boolean;
  account: Pick<AccountItems, 'items' | 'isLoading' | 'fault' | 'withheld' | 'refusal' | 'load'> & {
    readonly onOpen: (item: AccountItems['items'][number]) => void;
    readonly onDelete: (name: string) => void;
    /** @returns whether it is kept. */
    readonly onSave: (name: string) => Promise<boolean>;
  };
}

const popover: Omit<PopoverProps, 'children'> = {
  // Without one it is as wide as its longest sentence.
  width: 'min(400px, calc(100vw - 32px))',
  position: 'bottom-end' as const,
  trapFocus: true,
  returnFocus: true,
  shadow: 'md',
  radius: 'md',
};

/** A button that opens what is kept under a name, in this browser or for all members of the account, and keeps more. */
export function SavedItems(props: SavedItemsProps) {
  const { label, nameLabel, emptyText, names, onOpen, onDelete, onSave, canSave = true, account } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  /** Why this browser did not keep the last one. */
  const [fault, setFault] = useState<string | null>(null);
  const [isForAll, setIsForAll] = useState(false);
  /** What is to be deleted for all members. */
  const [asked, setAsked] = useState<string | null>(null);
  const toggle = () => {
    if (!isOpen) account.load();
    setIsOpen(!isOpen);
  };
  async function save() {
    const refused = isForAll ? null : onSave(name);
    setFault(refused);
    if (refused !== null || (isForAll && !(await account.onSave(name)))) return;
    setName('');
  }
  function openAndClose(open: () => void) {
    setIsOpen(false);
    open();
  }
  return (
    <>
      <DeletionForAll name={asked} onConfirm={account.onDelete} onClose={() => setAsked(null)} />
      <Popover {...popover} opened={isOpen} onChange={setIsOpen}>
        <Popover.Target>
          <Button variant="default" size="sm" leftSection={<IconBookmark size={16} aria-hidden />} onClick={toggle}>
            {label}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>
          <Stack gap="sm">
            {names.length === 0 && (
              <Text size="sm" c="dimmed">
                {emptyText}
              </Text>
            )}
            <ItemList
              title="In this browser"
              names={names}
              onOpen={(one) => openAndClose(() => onOpen(one))}
              onDelete={(one) => {
                setFault(null);
                onDelete(one);
              }}
            />
            {account.isLoading && (
              <Text size="sm" c="dimmed" role="status">
                Loading what is saved in the account …
              </Text>
            )}
            <ItemList
              title="In this account"
              names={account.items.map((item) => item.name)}
              onOpen={(one) => {
                const item = account.items.find((kept) => kept.name === one);
                if (item) openAndClose(() => account.onOpen(item));
              }}
              onDelete={account.refusal === null ? (one) => openAndClose(() => setAsked(one)) : null}
            />
            {account.withheld !== null && (
              <Text size="sm" c="dimmed">
                {account.withheld}
              </Text>
            )}
            <FormFault fault={fault ?? account.fault} />
            <form
              onSubmit={(event) => {
                event.preventDefault();
                void save();
              }}
            >
              <Stack gap="xs">
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
                  <Button type="submit" disabled={!hasVisible(name) || !canSave}>
                    Save
                  </Button>
                </Group>
                {account.refusal === null && (
                  <Checkbox
                    label="For all members of this account"
                    description="Saved on this server. Otherwise only in this browser."
                    checked={isForAll}
                    onChange={(event) => setIsForAll(event.currentTarget.checked)}
                  />
                )}
              </Stack>
            </form>
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

interface DeletionForAllProps {
  /** null: nothing is to be deleted. */
  name: string | null;
  onConfirm: (name: string) => void;
  onClose: () => void;
}

function DeletionForAll({ name, onConfirm, onClose }: DeletionForAllProps) {
  if (name === null) return null;
  return (
    <ConfirmModal
      title={`Delete ${nameInSentence(shownName(name))}?`}
      words="It is deleted for all members of this account. This cannot be undone."
      button="Delete for all members"
      onConfirm={() => onConfirm(name)}
      onClose={onClose}
    />
  );
}

interface ItemListProps extends Pick<NamedItems, 'names' | 'onOpen'> {
  title: string;
  /** null: whoever looks may delete none. */
  onDelete: NamedItems['onDelete'] | null;
}

function ItemList({ title, names, onOpen, onDelete }: ItemListProps) {
  if (names.length === 0) return null;
  return (
    <div>
      <Text size="xs" c="dimmed" fw={600}>
        {title}
      </Text>
      <ul className={classes.items} aria-label={title}>
        {names.map((name) => (
          <li key={name}>
            <Button variant="subtle" size="sm" className={classes.open} onClick={() => onOpen(name)}>
              {shownName(name)}
            </Button>
            {onDelete && (
              <Button
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Delete ${shownName(name)}`}
                onClick={() => onDelete(name)}
              >
                <IconTrash size={16} aria-hidden />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
