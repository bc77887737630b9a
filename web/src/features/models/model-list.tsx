import { useQuery } from '@apollo/client/react';
import { Chip, Group, SegmentedControl, TextInput } from '@mantine/core';
import { IconCpu, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { paths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { FoldedTable } from '../../components/folded-table';
import { LinkButton } from '../../components/link-button';
import { type RecordColumn, RecordSkeleton } from '../../components/record-table';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import type { ModelsQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format-credits';
import { useSearchChoice } from '../../lib/use-search-choice';
import classes from './model-list.module.css';
import { ProviderDots } from './provider-dots';

const ModelsDocument = graphql(`
  query Models {
    models {
      id
      tier
      endpoint
      creditsPerThousandTokens
      contextTokens
      maxOutputTokens
      isDemo
      capabilities {
        vision
        tools
        jsonSchema
        reasoning
      }
      routes {
        provider
        upstreamModel
        state
      }
    }
  }
`);

type Model = ModelsQuery['models'][number];
type Capability = 'vision' | 'tools' | 'jsonSchema' | 'reasoning';

const capabilityWords: Record<Capability, string> = {
  vision: 'Images',
  tools: 'Tools',
  jsonSchema: 'JSON schema',
  reasoning: 'Reasoning',
};
const capabilities = Object.keys(capabilityWords) as Capability[];

/** From this many models on, looking for one helps. */
const searchFrom = 8;
const rowsShown = 20;

const columns: readonly RecordColumn<Model>[] = [
  { header: 'Model', card: 'title', cell: (model) => <ModelName model={model} /> },
  {
    header: 'Credits / 1,000 tokens',
    align: 'right',
    cell: ({ creditsPerThousandTokens, tier }) => (
      <>
        {formatCredits(creditsPerThousandTokens)} <span className={classes.quiet}>{tier}</span>
      </>
    ),
  },
  { header: 'Context', align: 'right', cell: ({ contextTokens }) => groupThousands(contextTokens) },
  {
    header: 'Max output',
    align: 'right',
    cell: ({ endpoint, maxOutputTokens }) => (endpoint === 'CHAT' ? groupThousands(maxOutputTokens) : null),
  },
  { header: 'Providers', cell: ({ routes }) => <ProviderDots routes={routes} /> },
  {
    header: 'Try it',
    card: 'aside',
    align: 'right',
    cell: ({ id, endpoint }) =>
      endpoint === 'CHAT' ? (
        <LinkButton to={paths.playground(id)} size="compact-xs" variant="default" label={`Try ${id}`}>
          Try
        </LinkButton>
      ) : null,
  },
];

function ModelName({ model }: { model: Model }) {
  const able = capabilities.filter((capability) => model.capabilities[capability]);
  return (
    <span className={classes.name}>
      <CopyableId id={model.id} what={`model id ${model.id}`} />
      {model.isDemo && <StatusBadge color="amber">Demo, no real AI</StatusBadge>}
      {model.endpoint === 'EMBEDDINGS' && <span className={classes.abilities}>Embeddings</span>}
      {able.length > 0 && (
        <span className={classes.abilities}>{able.map((capability) => capabilityWords[capability]).join(' · ')}</span>
      )}
    </span>
  );
}

/** The catalogue: what may be called, what it can do, what it costs, and who answers. */
export function ModelList() {
  const { data, error, refetch } = useQuery(ModelsDocument, { fetchPolicy: 'cache-and-network' });
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string[]>([]);
  const [tier, setTier] = useSearchChoice('tier', ['all', 'lower', 'higher']);
  const words = search.trim().toLowerCase();
  const models = data?.models.filter(
    (model) =>
      (tier === 'all' || model.tier === tier) &&
      capabilities.every((capability) => !wanted.includes(capability) || model.capabilities[capability]) &&
      `${model.id} ${model.routes.map(({ provider }) => provider).join(' ')}`.toLowerCase().includes(words),
  );

  return (
    <SectionCard
      title="Catalogue"
      description={
        <>
          Put the id into the field <code>model</code> of your request; <code>provider/id</code> asks for one provider.
        </>
      }
    >
      {error && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
      {!models && !error && <RecordSkeleton rows={8} />}
      {data && data.models.length >= searchFrom && (
        <Group gap="sm" mb="md">
          <TextInput
            aria-label="Find a model"
            placeholder="Find a model or provider"
            type="search"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            size="sm"
            flex="1 1 200px"
            maw={320}
          />
          <SegmentedControl
            aria-label="Tier"
            value={tier}
            onChange={setTier}
            data={[
              { value: 'all', label: 'All tiers' },
              { value: 'lower', label: 'Lower' },
              { value: 'higher', label: 'Higher' },
            ]}
          />
          <Chip.Group multiple value={wanted} onChange={setWanted}>
            <Group gap={6}>
              {capabilities.map((capability) => (
                <Chip key={capability} value={capability} size="sm" variant="outline">
                  {capabilityWords[capability]}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Group>
      )}
      {data?.models.length === 0 && (
        <EmptyState icon={<IconCpu size={24} />} title="No models are on">
          Ask the operator of this server to put a provider&apos;s key into its settings.
        </EmptyState>
      )}
      {models && models.length > 0 && (
        <FoldedTable
          {...{ columns, rowsShown, rows: models, what: 'models' }}
          label="Models"
          keyOf={(model) => model.id}
        />
      )}
      {data && data.models.length > 0 && models?.length === 0 && (
        <EmptyState icon={<IconSearch size={24} />} title="No model fits">
          Try fewer letters, another tier, or fewer abilities.
        </EmptyState>
      )}
    </SectionCard>
  );
}
