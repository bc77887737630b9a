import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorPanel } from '../../components/error-panel';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { LinkedIdentitiesQuery } from '../../gql/graphql';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { graphqlErrorMessage, graphqlErrorSentence, isRefusal } from '../../lib/graphql-error-message';
import { providerFaultWords } from '../../lib/provider-fault-words';

const LinkedIdentitiesDocument = graphql(`
  query LinkedIdentities {
    signInProviders {
      id
      label
    }
    linkedIdentities {
      id
      provider
      label
      createdAt
      lastUsedAt
    }
  }
`);

const StartIdentityLinkDocument = graphql(`
  mutation StartIdentityLink($provider: ID!) {
    startIdentityLink(provider: $provider)
  }
`);

const FinishIdentityLinkDocument = graphql(`
  mutation FinishIdentityLink {
    finishIdentityLink {
      id
      label
    }
  }
`);

const UnlinkIdentityDocument = graphql(`
  mutation UnlinkIdentity($id: ID!) {
    unlinkIdentity(id: $id)
  }
`);

type LinkedIdentity = LinkedIdentitiesQuery['linkedIdentities'][number];

/** Who at other providers signs in to this account; nothing where the server knows no provider and nothing is linked. */
export function LinkedIdentities() {
  const { data, error, refetch } = useQuery(LinkedIdentitiesDocument);
  const [startLink] = useMutation(StartIdentityLinkDocument);
  const tellFailure = useTellFailure();
  const [unlinkIdentity] = useMutation(UnlinkIdentityDocument, { refetchQueries: ['LinkedIdentities'] });
  const [asked, setAsked] = useState<LinkedIdentity | null>(null);
  useLinkReturn();
  const { signInProviders: providers = [], linkedIdentities: linked = [] } = data ?? {};
  if (error && !data) {
    return <ErrorPanel title="Your linked sign-ins could not be loaded" error={error} onRetry={refetch} />;
  }
  if (providers.length === 0 && linked.length === 0) return null;
  const nameOf = (provider: string) => providers.find(({ id }) => id === provider)?.label ?? provider;

  async function start(provider: string) {
    try {
      const { data: begun } = await startLink({ variables: { provider } });
      if (begun) window.location.assign(begun.startIdentityLink);
    } catch (failure) {
      notifications.show({ color: 'red', title: 'Nothing was linked', message: graphqlErrorMessage(failure) });
    }
  }

  async function unlink({ id, provider }: LinkedIdentity) {
    try {
      await unlinkIdentity({ variables: { id } });
      notifications.show({ title: 'Unlinked', message: `${nameOf(provider)} no longer signs you in.` });
    } catch (failure) {
      tellFailure(failure, { refused: 'The link was not removed', whether: 'whether the link was removed' });
    }
  }

  return (
    <SectionCard title="Linked sign-ins" description="Sign in here with an account you have there, without a password.">
      <Stack gap="md" align="flex-start">
        {linked.length > 0 && (
          <RecordTable
            label="Linked sign-ins"
            columns={columnsOf(nameOf, setAsked)}
            rows={linked}
            keyOf={({ id }) => id}
          />
        )}
        <Group gap="xs">
          {providers.map(({ id, label }) => (
            <Button key={id} variant="default" onClick={() => void start(id)}>
              Link {label}
            </Button>
          ))}
        </Group>
      </Stack>
      {asked && (
        <ConfirmModal
          title={`Unlink ${nameOf(asked.provider)}?`}
          words={`${asked.label} no longer signs you in here. Make sure that you know your password or have a passkey.`}
          button={`Unlink ${nameOf(asked.provider)}`}
          onConfirm={() => void unlink(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </SectionCard>
  );
}

function columnsOf(
  nameOf: (provider: string) => string,
  unlink: (identity: LinkedIdentity) => void,
): RecordColumn<LinkedIdentity>[] {
  return [
    { header: 'Provider', card: 'title', cell: ({ provider }) => nameOf(provider) },
    { header: 'Known there as', cell: ({ label }) => label },
    { header: 'Linked', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'Never') },
    {
      header: 'Actions',
      align: 'right',
      card: 'aside',
      cell: (identity) => (
        <Button
          variant="default"
          size="xs"
          onClick={() => unlink(identity)}
          aria-label={`Unlink ${nameOf(identity.provider)}, ${identity.label}`}
        >
          Unlink
        </Button>
      ),
    },
  ];
}

/** Finishes the link of whom a provider has sent back to this page, once. */
function useLinkReturn(): void {
  const [search, setSearch] = useSearchParams();
  const [finish] = useMutation(FinishIdentityLinkDocument, { refetchQueries: ['LinkedIdentities'] });
  const tellFailure = useTellFailure();
  const hasBegun = useRef(false);

  useEffect(() => {
    if (!search.has('linking') || hasBegun.current) return;
    hasBegun.current = true;
    const fault = providerFaultWords(search.get('fault'));
    const refuse = (message: string) => notifications.show({ color: 'red', title: 'Nothing was linked', message });
    // Loaded again, the page must not try again what is good once.
    setSearch({}, { replace: true });
    if (fault !== null) {
      refuse(fault);
      return;
    }
    finish().then(
      ({ data }) =>
        notifications.show({ title: 'Linked', message: `${data?.finishIdentityLink.label ?? 'It'} signs you in now.` }),
      (error: unknown) => {
        if (isRefusal(error)) refuse(graphqlErrorSentence(error));
        else tellFailure(error, { refused: 'Nothing was linked', whether: 'whether it was linked' });
      },
    );
  });
}
