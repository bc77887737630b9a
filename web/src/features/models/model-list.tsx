import { useQuery } from '@apollo/client/react';
import { Text, TextInput } from '@mantine/core';
import { IconCpu, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyableId } from '../../components/copyable-id';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/record-table';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import type { ModelsQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format-credits';
import classes from './model-list.module.css';

const ModelsDocument = graphql(`
  query Models {
    models {
      id
      tier
      creditsPerThousandTokens
      contextTokens
      maxOutputTokens
      providers
      isDemo
    }
  }
`);

type Model = ModelsQuery['models'][number];

/** From this many models on, a search field helps. */
const searchFrom = 8;

const columns: readonly RecordColumn<Model>[] = [
  { header: 'Model', card: 'title', cell: (model) => <ModelName model={model} /> },
  { header: 'Tier', cell: (model) => <span className={classes.tier}>{model.tier}</span> },
  { header: 'Credits / 1,000 tokens', align: 'right', cell: (model) => formatCredits(model.creditsPerThousandTokens) },
  { header: 'Context', align: 'right', cell: (model) => groupThousands(model.contextTokens) },
  { header: 'Max output', align: 'right', cell: (model) => groupThousands(model.maxOutputTokens) },
  { header: 'Providers', cell: (model) => model.providers.join(', ') },
];

function ModelName({ model }: { model: Model }) {
  return (
    <span className={classes.name}>
      <CopyableId id={model.id} what={`model id ${model.id}`} />
      {model.isDemo && <StatusBadge color="amber">Demo, no real AI</StatusBadge>}
    </span>
  );
}

/** The catalogue: what may be called and what it costs. */
export function ModelList() {
  const { data, error, refetch } = useQuery(ModelsDocument);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const models = data?.models.filter((model) =>
    `${model.id} ${model.providers.join(' ')}`.toLowerCase().includes(wanted),
  );

  return (
    <SectionCard
      title="Catalogue"
      description={
        <>
          Put the id into the field <code>model</code> of your request.
        </>
      }
    >
      {error && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
      {!models && !error && <RecordSkeleton rows={5} />}
      {data && data.models.length >= searchFrom && (
        <TextInput
          label="Find a model"
          type="search"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maw={320}
          mb="md"
        />
      )}
      {data?.models.length === 0 && (
        <EmptyState icon={<IconCpu size={24} />} title="No models are on">
          Ask the operator of this server to put a provider&apos;s key into its settings.
        </EmptyState>
      )}
      {models && models.length > 0 && (
        <RecordTable label="Models" columns={columns} rows={models} keyOf={(model) => model.id} />
      )}
      {data && data.models.length > 0 && models?.length === 0 && (
        <Text c="dimmed">No model is called that. Try fewer letters.</Text>
      )}
    </SectionCard>
  );
}
