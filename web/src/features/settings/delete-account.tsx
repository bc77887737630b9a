import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatCredits } from '../../lib/format/format-credits';
import { failureSentences } from '../../lib/forms/lost-answers';
import { isRefusal } from '../../lib/graphql-error-message';
import { tellOfSignOut } from '../../lib/session/account-switch';
import { askViewer } from '../../lib/session/ask-viewer';
import { endSessionOfTab } from '../../lib/session/session-end';
import classes from './settings.module.css';

const DeleteAccountDocument = graphql(`
  mutation DeleteAccount($password: String!) {
    deleteAccount(input: { password: $password })
  }
`);

const whenUnclear = {
  whether: 'whether the account was deleted',
  remedy: 'Reload this page. If you have to sign in, it was deleted.',
};

/** The end of the account, for whoever knows its password and has been told what is lost. */
export function DeleteAccount({ credits }: { credits: number }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <SectionCard title="Delete the account">
      <div className={classes.action}>
        <Text size="sm" maw={560}>
          Your keys stop working and you are signed out everywhere at once. Your name and e-mail are erased. Purchases
          and usage stay in the books without them.
        </Text>
        <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
          Delete the account
        </Button>
      </div>
      <Modal opened={isOpen} onClose={dialog.close} title="Delete the account permanently?">
        <DeletionForm credits={credits} onClose={dialog.close} />
      </Modal>
    </SectionCard>
  );
}

function DeletionForm({ credits, onClose }: { credits: number; onClose: () => void }) {
  const [deleteAccount, { loading, client }] = useMutation(DeleteAccountDocument);
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    try {
      await deleteAccount({ variables: { password } });
    } catch (error) {
      // Its sessions end with it, also when the answer was lost.
      const isOver = !isRefusal(error) && (await askViewer(client))?.accountId === null;
      if (!isOver) {
        setFault(failureSentences(error, whenUnclear));
        return;
      }
    }
    endSessionOfTab();
    tellOfSignOut('deleted');
    window.location.assign(paths.overview());
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text>
          This cannot be undone.
          {credits > 0 && (
            <>
              {' '}
              <strong>{formatCredits(credits)} credits are lost</strong>: spend them first, or ask for a refund of what
              you bought.
            </>
          )}
        </Text>
        <PasswordInput
          name="current-password"
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <BusyButton type="submit" color="red.8" isBusy={loading} disabled={password === ''}>
            {loading ? 'Deleting …' : 'Delete account'}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}
