import { Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { pageHeadings } from '../../app/page-headings';
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
              allowDeselect={false}
              comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
            />
          )}
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={chat.begin}
            disabled={isBusy || isEmpty}
          >
            New
          </Button>
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={question.open}
            disabled={isBusy || isEmpty}
          >
            Clear
          </Button>
          {isAsking && (
            <ConfirmModal
              title="Clear this conversation?"
              words="Its questions and answers are deleted, also where your account keeps it. The receipts stay."
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
