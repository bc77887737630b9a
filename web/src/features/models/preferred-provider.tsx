import { useMutation, useQuery } from '@apollo/client/react';
import { Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { useRefusal } from '../../lib/session/use-role';
import { stateWords } from './provider-dots';

const PreferredProviderDocument = graphql(`
  query PreferredProvider {
    viewer {
      id
      preferredProvider
    }
    providers {
      id
      name
      state
    }
  }
`);

const SetPreferredProviderDocument = graphql(`
  mutation SetPreferredProvider($provider: ID) {
    setPreferredProvider(provider: $provider) {
      id
      preferredProvider
    }
  }
`);

const noMatter = 'no-matter';

/** Which provider the account's calls go to first, wherever there is a choice. */
export function PreferredProvider() {
  const { data, error: readError, refetch } = useQuery(PreferredProviderDocument);
  const tellFailure = useTellFailure();
  const [setPreferred] = useMutation(SetPreferredProviderDocument);
  const refusal = useRefusal('manage', 'To prefer a provider');
  const preferred = data?.viewer?.preferredProvider ?? null;
  const providers = data?.providers ?? [];
  const isGone = preferred !== null && !providers.some(({ id }) => id === preferred);

  async function choose(value: string | null) {
    const provider = value === noMatter ? null : value;
    try {
      await setPreferred({ variables: { provider } });
      notifications.show({
        title: 'Saved',
        message: provider === null ? 'Each model uses its own first provider.' : `${provider} is asked first.`,
      });
    } catch (error) {
      tellFailure(error, { refused: 'The choice was not saved', whether: 'whether the choice was saved' });
    }
  }

  return (
    <SectionCard
      title="Preferred provider"
      description="Your calls go to it first where it offers the model. The others step in if it fails."
    >
      {readError && !data && (
        <ErrorPanel title="Your preferred provider could not be loaded" error={readError} onRetry={refetch} />
      )}
      <Select
        aria-label="Preferred provider"
        description={refusal}
        maw={360}
        data={[
          { value: noMatter, label: 'No preference' },
          ...providers.map(({ id, name, state }) => ({
            value: id,
            label: state === 'HEALTHY' ? name : `${name} (${stateWords[state]})`,
          })),
          ...(isGone ? [{ value: preferred, label: `${preferred} (no longer available)`, disabled: true }] : []),
        ]}
        value={data ? (preferred ?? noMatter) : null}
        onChange={(value) => void choose(value)}
        allowDeselect={false}
        searchable
        disabled={!data || refusal !== null}
      />
    </SectionCard>
  );
}
