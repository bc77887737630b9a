import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { ShownOnceModal } from '../../components/shown-once-modal';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { FactorsQuery } from '../../gql/graphql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { canUsePasskeys } from '../../lib/session/passkeys';
import { FactorsDocument } from './factors-document';

const NewPasskey = lazy(() => import('./new-passkey'));

const RemovePasskeyDocument = graphql(`
  mutation RemovePasskey($id: ID!) {
    removePasskey(id: $id)
  }
`);

type Passkey = FactorsQuery['factors']['passkeys'][number];

/** The passkeys of the account, each with its name and its last use. */
export function Passkeys() {
  const { data, error, refetch } = useQuery(FactorsDocument);
  const tellFailure = useTellFailure();
  const [removePasskey] = useMutation(RemovePasskeyDocument, { refetchQueries: ['Factors'] });
  const [isAdding, dialog] = useDisclosure(false);
  const [asked, setAsked] = useState<Passkey | null>(null);

  async function remove({ id, name }: Passkey) {
    try {
      await removePasskey({ variables: { id } });
      notifications.show({ title: 'Passkey removed', message: `${nameInSentence(name)} no longer signs you in.` });
    } catch (failure) {
      tellFailure(failure, { refused: 'The passkey was not removed', whether: 'whether the passkey was removed' });
    }
  }

  if (!data) {
    if (error) return <ErrorPanel title="Your passkeys could not be loaded" error={error} onRetry={refetch} />;
    return <Skeleton height={120} radius="lg" aria-hidden="true" />;
  }
  const { passkeys } = data.factors;
  return (
    <SectionCard
      title="Passkeys"
      description="Sign in without a password, using your device’s PIN, fingerprint or face."
    >
      <Stack gap="md" align="flex-start">
        {passkeys.length > 0 && (
          <RecordTable label="Passkeys" columns={columnsOf(setAsked)} rows={passkeys} keyOf={({ id }) => id} />
        )}
        {canUsePasskeys() ? (
          <Button variant="default" onClick={dialog.open}>
            Add a passkey
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            This browser cannot create passkeys on this page. Open it over HTTPS, or in another browser.
          </Text>
        )}
      </Stack>
      {asked && (
        <ConfirmModal
          title="Remove this passkey?"
          words={`${nameInSentence(asked.name)} no longer signs you in here. Delete it on the device too, so that it is no longer offered there.`}
          button="Remove passkey"
          onConfirm={() => void remove(asked)}
          onClose={() => setAsked(null)}
        />
      )}
      <ShownOnceModal opened={isAdding} onClose={dialog.close} title="Add a passkey" closeOnClickOutside={false}>
        <Suspense fallback={<Skeleton height={160} />}>
          <NewPasskey onDone={dialog.close} />
        </Suspense>
      </ShownOnceModal>
    </SectionCard>
  );
}

function columnsOf(remove: (passkey: Passkey) => void): RecordColumn<Passkey>[] {
  return [
    { header: 'Name', card: 'title', cell: ({ name }) => name },
    { header: 'Added', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'Never') },
    {
      header: 'Actions',
      align: 'right',
      card: 'aside',
      cell: (passkey) => (
        <Button
          variant="default"
          size="xs"
          onClick={() => remove(passkey)}
          aria-label={`Remove the passkey ${passkey.name}`}
        >
          Remove
        </Button>
      ),
    },
  ];
}
