import { useQuery } from '@apollo/client/react';
import { Checkbox, Chip, Group, SegmentedControl, Select, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconCpu, IconSearch } from '../../components/icons';
import { InPieces } from '../../components/in-pieces';
import { LinkButton } from '../../components/link-button';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { SearchField } from '../../components/tables/filtered-list';
import { FoldedTable } from '../../components/tables/folded-table';
import { type RecordColumn, RecordSkeleton } from '../../components/tables/record-table';
import { type SortDirection, SortHead } from '../../components/tables/sort-head';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { abilities, abilityWords, listAbilities } from '../../lib/model-abilities';
import { comparedMax, readCompared, writeCompared } from '../../lib/playground/compared-models';
import { describeFigures } from '../../lib/reports/measure-words';
import { useMeasures } from '../../lib/reports/use-measures';
import { formatDollarsPerMillion } from '../../lib/requests/call-price';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import { useSearchChoice } from '../../lib/use-search-choice';
import { useSearchChange } from '../../lib/use-search-value';
import { ModelComparison } from './model-comparison';
import classes from './model-list.module.css';
import { type ModelOrder, modelOrders, orderModels, orderWords } from './model-order';
import { type Model, ModelsDocument } from './models-document';
import { ProviderDots } from './provider-dots';

/** From this many models on, looking for one helps. */
const searchFrom = 8;
const rowsShown = 20;
/** On a phone, whose cards are high and take long to draw. */
const cardsShown = 8;

type FindFigures = ReturnType<typeof useMeasures>['findFigures'];

interface Comparing {
  readonly ids: readonly string[];
  readonly onToggle: (id: string, isOn: boolean) => void;
}

/** The heads that sort, by their words, and how. */
const headOrders: Readonly<Record<string, { readonly order: ModelOrder; readonly direction: SortDirection }>> = {
  '$ / 1M tokens': { order: 'price', direction: 'ascending' },
  Context: { order: 'context', direction: 'descending' },
  'Providers, 30 days': { order: 'fastest', direction: 'ascending' },
};

/** With a head that sorts, where it can be sorted by; a second press takes the order back. */
function withSortHead(
  column: RecordColumn<Model>,
  sorted: ModelOrder,
  setOrder: (order: ModelOrder) => void,
): RecordColumn<Model> {
  const by = headOrders[column.header];
  if (!by) return column;
  const isSorted = by.order === sorted;
  const onSort = () => setOrder(isSorted ? 'usual' : by.order);
  const head = <SortHead name={column.header} direction={by.direction} isSorted={isSorted} onSort={onSort} />;
  return { ...column, sort: { head, is: isSorted ? by.direction : undefined } };
}

function listColumns(findFigures: FindFigures, comparing: Comparing): readonly RecordColumn<Model>[] {
  return [
    { header: 'Model', card: 'title', cell: (model) => <ModelName model={model} /> },
    {
      header: '$ / 1M tokens',
      align: 'right',
      cell: ({ creditsPerThousandTokens: price, tier }) => (
        <>
          <strong>{formatDollarsPerMillion(price)}</strong>
          <span className={classes.below}>
            {formatCredits(price)} {price === 1 ? 'credit' : 'credits'} / 1,000, {tier}
          </span>
        </>
      ),
    },
    { header: 'Context', align: 'right', cell: ({ contextTokens }) => groupThousands(contextTokens) },
    {
      header: 'Max output',
      align: 'right',
      cell: ({ endpoint, maxOutputTokens }) => (endpoint === 'CHAT' ? groupThousands(maxOutputTokens) : null),
    },
    {
      header: 'Providers, 30 days',
      cell: ({ id, routes }) => (
        <ProviderDots routes={routes} describeMeasures={(provider) => describeFigures(findFigures(provider, id))} />
      ),
    },
    { header: 'Compare', cell: ({ id }) => <CompareBox id={id} {...comparing} /> },
  ];
}

/** For whoever may use the playground, and for strangers, who may after their sign-up. */
const tryColumn: RecordColumn<Model> = {
  header: 'Try it',
  card: 'aside',
  align: 'right',
  cell: ({ id, endpoint }) =>
    endpoint === 'CHAT' ? (
      <LinkButton to={paths.playground(id)} size="compact-xs" variant="default" label={`Try ${id}`}>
        Try
      </LinkButton>
    ) : null,
};

function CompareBox({ id, ids, onToggle }: Comparing & { id: string }) {
  const isChosen = ids.includes(id);
  return (
    <Checkbox
      aria-label={`Compare ${id}`}
      checked={isChosen}
      disabled={!isChosen && ids.length >= comparedMax}
      onChange={(event) => onToggle(id, event.currentTarget.checked)}
    />
  );
}

function ModelName({ model }: { model: Model }) {
  const able = listAbilities(model.capabilities, ' · ');
  return (
    <span className={classes.name}>
      <CopyableId id={model.id} what={`model id ${model.id}`} to={paths.model(model.id)} />
      {model.isDemo && <StatusBadge color="amber">Demo, not a real AI</StatusBadge>}
      {model.endpoint === 'EMBEDDINGS' && <span className={classes.abilities}>Embeddings</span>}
      {able !== '' && <span className={classes.abilities}>{able}</span>}
    </span>
  );
}

interface ModelListProps {
  /** What stands below the list, and comes with it, so that nothing moves when it does. */
  children?: ReactNode;
}

/** The catalogue: what may be called, what it can do, what it costs, who answers and how well; up to three models side by side. */
export function ModelList({ children }: ModelListProps) {
  const { data, error, refetch } = useQuery(ModelsDocument);
  const { findFigures, error: measuresError, refetch: measureAgain } = useMeasures();
  const mayTry = mayDo(useRole(), 'build');
  const [address] = useSearchParams();
  const change = useSearchChange();
  const all = data?.models ?? [];
  const known = all.map(({ id }) => id);
  const ids = readCompared(address, known);
  const onToggle = (id: string, isOn: boolean) =>
    change((now) => {
      const others = readCompared(now, known).filter((one) => one !== id);
      return writeCompared(now, isOn ? [...others, id].slice(0, comparedMax) : others);
    });
  const compared = ids.flatMap((id) => all.find((model) => model.id === id) ?? []);
  const columns = listColumns(findFigures, { ids, onToggle });
  return (
    <>
      {!data && !error && address.has('compare') && <Skeleton className={classes.comparisonPlace} radius="lg" />}
      {compared.length > 0 && (
        <ModelComparison models={compared} findFigures={findFigures} onClose={() => change({ compare: null })} />
      )}
      <SectionCard
        title="Catalogue"
        description={
          <>
            Put the id into the field <code>model</code> of your request; <code>provider/id</code> asks for one
            provider.
          </>
        }
      >
        {error && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
        {data && measuresError && (
          <ErrorPanel title="The measurements could not be loaded" error={measuresError} onRetry={measureAgain} />
        )}
        {!data && !error && <RecordSkeleton rows={rowsShown} />}
        {data?.models.length === 0 && (
          <EmptyState icon={<IconCpu size={24} />} title="No models yet">
            Ask the operator of this server to put a provider&apos;s key into its settings.
          </EmptyState>
        )}
        {all.length > 0 && (
          <InPieces outline={<RecordSkeleton rows={rowsShown} />}>
            <FoundModels models={all} columns={mayTry ? [...columns, tryColumn] : columns} findFigures={findFigures} />
          </InPieces>
        )}
      </SectionCard>
      {(data || error) && <InPieces outline={null}>{children}</InPieces>}
    </>
  );
}

interface FoundModelsProps {
  models: readonly Model[];
  columns: readonly RecordColumn<Model>[];
  findFigures: FindFigures;
}

function FoundModels({ models, columns, findFigures }: FoundModelsProps) {
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string[]>([]);
  const [tier, setTier] = useSearchChoice('tier', ['all', 'lower', 'higher']);
  const [order, setOrder] = useSearchChoice('sort', modelOrders);
  const isPhone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const words = search.trim().toLowerCase();
  const found = models.filter(
    (model) =>
      (tier === 'all' || model.tier === tier) &&
      abilities.every((ability) => !wanted.includes(ability) || model.capabilities[ability]) &&
      `${model.id} ${model.routes.map(({ provider }) => provider).join(' ')}`.toLowerCase().includes(words),
  );
  const rows = orderModels(found, order, (model) => quickestP50Ms(model, findFigures));
  return (
    <>
      {models.length >= searchFrom && (
        <Group gap="sm" mb="md">
          <SearchField
            name="model"
            label="Find a model"
            placeholder="Find a model or provider"
            value={search}
            onChange={setSearch}
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
          <Select
            aria-label="Order"
            hiddenFrom="md"
            data={modelOrders.map((value) => ({ value, label: orderWords[value] }))}
            value={order}
            allowDeselect={false}
            onChange={(value) => setOrder(value ?? modelOrders[0])}
          />
          <Chip.Group multiple value={wanted} onChange={setWanted}>
            <Group gap={6}>
              {abilities.map((ability) => (
                <Chip key={ability} value={ability} size="sm" variant="outline">
                  {abilityWords[ability]}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Group>
      )}
      {found.length > 0 ? (
        <FoldedTable
          columns={columns.map((column) => withSortHead(column, order, setOrder))}
          rows={rows}
          rowsShown={isPhone ? cardsShown : rowsShown}
          what="models"
          label="Models"
          keyOf={(model) => model.id}
        />
      ) : (
        <EmptyState icon={<IconSearch size={24} />} title="No matching models">
          Try a shorter search, another tier, or fewer abilities.
        </EmptyState>
      )}
    </>
  );
}

function quickestP50Ms({ id, routes }: Model, findFigures: FindFigures): number | null {
  const measured = routes.flatMap(({ provider }) => findFigures(provider, id)?.p50Ms ?? []);
  return measured.length === 0 ? null : Math.min(...measured);
}
