import { useQuery } from '@apollo/client/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/record-table';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import type { ApiKeysQuery } from '../../gql/graphql';

// Most visits only look: the dialogs are fetched after the list has been shown.
const CreateKeyModal = lazy(() => import('./create-key-modal'));
const RevokeKeyModal = lazy(() => import('./revoke-key-modal'));

const ApiKeysDocument = graphql(`
  query ApiKeys {
    viewer {
      id
      keysMax
    }
    apiKeys {
      id
      name
      maskedSecret
      createdAt
      lastUsedAt
      revokedAt
    }
  }
`);

type ApiKey = ApiKeysQuery['apiKeys'][number];

/** Lists the keys and makes and revokes them. */
export function KeysPanel() {
  const { data, error, refetch } = useQuery(ApiKeysDocument, { fetchPolicy: 'cache-and-network' });
  const [isCreating, creation] = useDisclosure(false);
  const [isRevoking, revocation] = useDisclosure(false);
  // Stays while the dialog fades out.
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null);

  function askToRevoke(key: ApiKey) {
    setKeyToRevoke(key);
    revocation.open();
  }

  if (!data) {
    return error ? (
      <ErrorPanel title="Your keys could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <KeysSkeleton />
    );
  }
  const activeKeys = data.apiKeys.filter((key) => !key.revokedAt);
  const keysMax = data.viewer?.keysMax ?? 1;
  const isFull = activeKeys.length >= keysMax;
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creation.open} disabled={isFull}>
      Create key
    </Button>
  );

  return (
    <>
      <SectionCard title="Your keys" action={data.apiKeys.length > 0 && createButton}>
        <Stack gap="md">
          {isFull && <FullNotice keysMax={keysMax} />}
          {data.apiKeys.length === 0 ? (
            <EmptyState icon={<IconKey size={24} />} title="No key yet" action={createButton}>
              A key lets your programs call the proxy. It is shown once, so have a safe place for it ready.
            </EmptyState>
          ) : (
            <RecordTable
              label="Your keys"
              columns={keyColumns(askToRevoke)}
              rows={data.apiKeys}
              keyOf={(key) => key.id}
            />
          )}
        </Stack>
      </SectionCard>
      <Suspense fallback={null}>
        <CreateKeyModal isOpen={isCreating} onClose={creation.close} />
        <RevokeKeyModal isOpen={isRevoking} apiKey={keyToRevoke} onClose={revocation.close} />
      </Suspense>
    </>
  );
}

function FullNotice({ keysMax }: { keysMax: number }) {
  return (
    <Alert color="gray" title={keysMax === 1 ? 'One key per account' : `${keysMax} keys per account`}>
      {keysMax === 1
        ? 'To get a new key, revoke the one in force first. Programs that use it stop working at once.'
        : 'You have them all in force. To get a new key, revoke one of them first.'}
    </Alert>
  );
}

function keyColumns(askToRevoke: (key: ApiKey) => void): readonly RecordColumn<ApiKey>[] {
  return [
    {
      header: 'Name',
      card: 'title',
      cell: (key) => (
        <Text fw={600} inherit>
          {key.name}
        </Text>
      ),
    },
    { header: 'Key', cell: (key) => <code className="unbroken">{key.maskedSecret}</code> },
    { header: 'Created', cell: (key) => <RelativeTime at={key.createdAt} /> },
    { header: 'Last used', cell: (key) => (key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} /> : 'Never') },
    {
      header: 'Status',
      card: 'aside',
      cell: (key) =>
        key.revokedAt ? (
          <StatusBadge color="gray">Revoked</StatusBadge>
        ) : (
          <StatusBadge color="pine">Active</StatusBadge>
        ),
    },
    {
      header: 'Action',
      align: 'right',
      cell: (key) =>
        key.revokedAt ? (
          <RelativeTime at={key.revokedAt} />
        ) : (
          <Button variant="default" size="xs" onClick={() => askToRevoke(key)} aria-label={`Revoke ${key.name}`}>
            Revoke
          </Button>
        ),
    },
  ];
}

function KeysSkeleton() {
  return (
    <SectionCard title="Your keys">
      <Group grow>
        <RecordSkeleton rows={3} />
      </Group>
    </SectionCard>
  );
}
