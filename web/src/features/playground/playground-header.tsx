import { Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { pageHeadings } from '../../app/page-headings';
import { BusyButton } from '../../components/buttons/busy-button';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import { IconCode, IconPlus, IconTrash } from '../../components/icons';
import { PageHeader } from '../../components/page-header';
import { titleOf } from '../../lib/playground/conversations';
import type { Chat } from './use-chat';

interface PlaygroundHeaderProps {
  chat: Chat;
  onViewCode: () => void;
  /** The button of the prompts. */
  prompts: ReactNode;
}

/** The page's title, and what is done with conversations as wholes. */
export function PlaygroundHeader({ chat, onViewCode, prompts }: PlaygroundHeaderProps) {
  const [isAsking, question] = useDisclosure(false);
  const isBusy = chat.arriving.length > 0;
  const isEmpty = chat.turns.length === 0;
  const { all, currentId } = chat.conversations;
  return (
    <PageHeader
      {...pageHeadings.playground}
      actions={
        <Group gap="xs">
          {prompts}
          <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={onViewCode}>
            View code
          </Button>
          {all.some(({ id }) => id !== currentId) && (
            <Select
              aria-label="Conversation"
              data={all.map((one) => ({ value: one.id, label: titleOf(one) }))}
              value={isEmpty ? null : currentId}
              placeholder="Earlier conversations"
              onChange={(id) => id !== null && chat.open(id)}
              disabled={isBusy}
              aria-busy={isBusy}
              allowDeselect={false}
              comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
            />
          )}
          <BusyButton
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={chat.begin}
            isBusy={isBusy}
            disabled={isEmpty}
          >
            New
          </BusyButton>
          <BusyButton
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={question.open}
            isBusy={isBusy}
            disabled={isEmpty}
          >
            Clear
          </BusyButton>
          {isAsking && (
            <ConfirmModal
              title="Clear this conversation?"
              words="Its messages are deleted, including the copy in your account. The receipts stay."
              button="Clear conversation"
              onConfirm={chat.clear}
              onClose={question.close}
            />
          )}
        </Group>
      }
    />
  );
}
