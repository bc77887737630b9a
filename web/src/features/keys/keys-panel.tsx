import { useQuery } from '@apollo/client/react';
import { Button, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconKey, IconPlus } from '../../components/icons';
import { RoleNotice } from '../../components/role-notice';
import { SectionCard } from '../../components/section-card';
import { FilteredList } from '../../components/tables/filtered-list';
import { RecordSkeleton } from '../../components/tables/record-table';
import { useRefusal } from '../../lib/session/use-role';
import { type KeyAction, KeyCard } from './key-card';
import classes from './keys.module.css';
import { type ApiKey, ApiKeysDocument } from './keys-document';

// Most visits only look: the dialogs are fetched after the list has been shown.
const KeyFormModal = lazy(() => import('./key-form-modal'));
const RotateKeyModal = lazy(() => import('./rotate-key-modal'));
const RevokeKeyModal = lazy(() => import('./revoke-key-modal'));

const keyWords = { one: 'key', many: 'keys' };

type OpenDialog = KeyAction | 'create' | null;

/** Lists the keys, those in force first, and makes, changes, rotates and revokes them. */
export function KeysPanel() {
  const { data, error, refetch } = useQuery(ApiKeysDocument);
  const refusal = useRefusal('build', 'To create a key');
  const [dialog, setDialog] = useState<OpenDialog>(null);
  // Stays while a dialog fades out.
  const [chosenKey, setChosenKey] = useState<ApiKey | null>(null);

  function act(action: KeyAction, apiKey: ApiKey) {
    setChosenKey(apiKey);
    setDialog(action);
  }

  if (!data) {
    return error ? (
      <ErrorPanel title="Your keys could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <SectionCard title="Your keys">
        <RecordSkeleton rows={3} />
      </SectionCard>
    );
  }
  const activeKeys = data.apiKeys.filter((key) => !key.revokedAt);
  const keys = [...activeKeys, ...data.apiKeys.filter((key) => key.revokedAt)];
  const keysMax = data.viewer?.keysMax ?? 1;
  const isFull = activeKeys.length >= keysMax;
  const canCreate = refusal === null;
  const createButton = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => {
        setChosenKey(null);
        setDialog('create');
      }}
      disabled={isFull || !canCreate}
    >
      Create key
    </Button>
  );
  const close = () => setDialog(null);

  return (
    <>
      <SectionCard title="Your keys" action={keys.length > 0 && createButton}>
        <Stack gap="md">
          {refusal !== null && <RoleNotice>{refusal}</RoleNotice>}
          {canCreate && isFull && <FullNotice keysMax={keysMax} activeKeys={activeKeys} />}
          {keys.length === 0 ? (
            <EmptyState icon={<IconKey size={24} />} title="No key yet" action={createButton}>
              A key lets your programs call models. It is shown only once, so have a safe place ready for it.
            </EmptyState>
          ) : (
            <FilteredList rows={keys} textOf={({ name }) => name} what={keyWords} placeholder="Name">
              {(found) => (
                <ul className={classes.list} aria-label="Your keys">
                  {found.map((key) => (
                    <KeyCard key={key.id} apiKey={key} onAct={act} />
                  ))}
                </ul>
              )}
            </FilteredList>
          )}
        </Stack>
      </SectionCard>
      <Suspense fallback={null}>
        <KeyFormModal isOpen={dialog === 'create' || dialog === 'change'} apiKey={chosenKey} onClose={close} />
        <RotateKeyModal isOpen={dialog === 'rotate'} apiKey={chosenKey} onClose={close} />
        <RevokeKeyModal isOpen={dialog === 'revoke'} apiKey={chosenKey} onClose={close} />
      </Suspense>
    </>
  );
}

function FullNotice({ keysMax, activeKeys }: { keysMax: number; activeKeys: readonly ApiKey[] }) {
  const count = activeKeys.length;
  // Keys that were made under a higher limit stay in force.
  const isBeyond = count > keysMax;
  const allowed = keysMax === 1 ? 'one key' : `${keysMax} keys`;
  return (
    <Text size="sm" c="dimmed">
      {isBeyond ? `${count} keys in force; an account may now have ${allowed}.` : `An account may have ${allowed}.`}{' '}
      {fullWords(count - keysMax + 1, activeKeys)}
    </Text>
  );
}

/** What to do for a new secret or another key, for whoever may; a developer changes only keys of their own. */
function fullWords(toRevoke: number, activeKeys: readonly ApiKey[]): string {
  const few = toRevoke === 1 ? 'one' : toRevoke;
  if (!activeKeys.some(({ mayChange }) => mayChange)) {
    return `Other members created them, so you cannot change them. For a key of your own, ask an owner or admin to revoke ${few} first.`;
  }
  if (activeKeys.length === 1) {
    return 'To replace the secret without downtime, rotate the key. Or revoke it and create another.';
  }
  return `For a new secret, rotate a key. To create another, revoke ${few} of these first.`;
}
