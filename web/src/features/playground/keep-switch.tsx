import { Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { FormFault } from '../../components/form-fault';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import type { KeptPlayground } from './use-kept-playground';

interface KeepSwitchProps {
  kept: KeptPlayground;
  /** Whether whoever is signed in may have the account keep something; whatever it keeps they may always delete. */
  canTurnOn: boolean;
}

/** Of its words, which are a target, too: 24 pixels at least. */
const tallEnough = { display: 'inline-block', lineHeight: '24px' } as const;

/** Whether conversations and settings stay in this tab, or in the account. */
export function KeepSwitch({ kept: { isOn, isChanging, fault, isTooLong, turn }, canTurnOn }: KeepSwitchProps) {
  const aboutId = useId();
  const [isAsking, question] = useDisclosure(false);
  return (
    <Stack gap="xs">
      <Switch
        label="Keep in my account"
        styles={{ label: tallEnough }}
        aria-describedby={aboutId}
        checked={isOn === true}
        disabled={isOn === null || isChanging || (!isOn && !canTurnOn)}
        aria-busy={isChanging}
        onChange={(event) => (event.currentTarget.checked ? void turn(true) : question.open())}
      />
      {/* The library's own description would be read as a part of the name. */}
      <Text id={aboutId} size="xs" c="dimmed">
        {isOn
          ? 'Settings and the last 20 conversations, without images, follow you to your other browsers. Nobody else can read them. If you turn this off, the account deletes them and this tab keeps its own.'
          : 'Conversations and settings stay in this tab and are gone when you close it.'}
      </Text>
      {isTooLong && (
        <Text size="sm" role="status">
          This conversation is too long to keep in the account. New messages stay in this tab.
        </Text>
      )}
      <FormFault fault={fault} />
      {isAsking && (
        <ConfirmModal
          title="Delete the saved conversations?"
          words="Your other browsers lose these settings and conversations. This tab keeps its own until it is closed."
          button="Delete from the account"
          onConfirm={() => void turn(false)}
          onClose={question.close}
        />
      )}
    </Stack>
  );
}
