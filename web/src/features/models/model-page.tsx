import { useQuery } from '@apollo/client/react';
import { Group, Skeleton, Stack } from '@mantine/core';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { PageHeader } from '../../components/page-header';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { listAbilities } from '../../lib/model-abilities';
import { writeCompared } from '../../lib/playground/compared-models';
import { callsMeasured, formatMeasuredTime, formatUptime, notKnown } from '../../lib/reports/measure-words';
import { stateBadges } from '../../lib/reports/provider-state';
import { type ServiceFigures, useMeasures } from '../../lib/reports/use-measures';
import { formatDollarsPerMillion } from '../../lib/requests/call-price';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import { ModelCode } from './model-code';
import classes from './model-list.module.css';
import { type Model, ModelsDocument } from './models-document';

/** One model: what it costs and can do, who answers and how well, and how it is called. */
export function ModelPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(ModelsDocument);
  const model = data?.models.find((one) => one.id === id);
  if (model) return <FoundModel model={model} />;
  if (data) {
    return (
      <FullPageMessage title="No such model" action={<LinkButton to={paths.models()}>All models</LinkButton>} isFramed>
        This server has no model with this name. It may be mistyped, or no longer offered.
      </FullPageMessage>
    );
  }
  return (
    <>
      <PageHeader title={id} />
      {error && <ErrorPanel title="The model could not be loaded" error={error} onRetry={refetch} />}
      {/* As high as what comes, so that what stands below it does not move. */}
      {!error && <Skeleton height={770} radius="lg" aria-hidden="true" />}
    </>
  );
}

function FoundModel({ model }: { model: Model }) {
  const { id, endpoint, isDemo } = model;
  // Strangers may after their sign-up.
  const mayTry = mayDo(useRole(), 'build') && endpoint === 'CHAT';
  return (
    <>
      <PageHeader
        title={id}
        description={describe(model)}
        actions={
          <Group gap="xs">
            {mayTry && <LinkButton to={paths.playground(id)}>Try it</LinkButton>}
            <LinkButton to={`${paths.models()}?${writeCompared(new URLSearchParams(), [id])}`} variant="default">
              Compare
            </LinkButton>
          </Group>
        }
      />
      <Stack gap="lg">
        <SectionCard
          title="Price and limits"
          description="Prompt and answer tokens cost the same, and there are no other fees."
          action={isDemo && <StatusBadge color="amber">Demo, not a real AI</StatusBadge>}
        >
          <Facts model={model} />
        </SectionCard>
        <Providers model={model} />
        <ModelCode model={model} />
      </Stack>
    </>
  );
}

function describe({ endpoint, routes }: Model): string {
  const what = endpoint === 'CHAT' ? 'Answered' : 'Embeddings, made';
  const providers = [...new Set(routes.map(({ provider }) => provider))];
  return `${what} by ${providers.join(', ')}.`;
}

function Facts({ model }: { model: Model }) {
  const { creditsPerThousandTokens: price, contextTokens, maxOutputTokens, endpoint, capabilities, tier } = model;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['$ / 1M tokens', formatDollarsPerMillion(price)],
    ['Credits / 1,000 tokens', formatCredits(price)],
    ['Tier', tier],
    [endpoint === 'CHAT' ? 'Context' : 'Tokens per text', groupThousands(contextTokens)],
    ...(endpoint === 'CHAT' ? ([['Max output', groupThousands(maxOutputTokens)]] as const) : []),
    ['Abilities', listAbilities(capabilities) || 'Text'],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type MeasuredRoute = Model['routes'][number] & { readonly figures: ServiceFigures | null | undefined };

function measured(header: string, show: (figures: ServiceFigures | null) => string): RecordColumn<MeasuredRoute> {
  return { header, align: 'right', cell: ({ figures }) => (figures === undefined ? notKnown : show(figures)) };
}

/** Of what was not measured at all the column before says so. */
function measuredTime(header: string, read: (figures: ServiceFigures) => number | null | undefined) {
  return measured(header, (figures) => (figures === null ? '–' : formatMeasuredTime(read(figures) ?? null)));
}

const routeColumns: readonly RecordColumn<MeasuredRoute>[] = [
  { header: 'Provider', card: 'title', cell: ({ provider }) => <strong>{provider}</strong> },
  {
    header: 'Now',
    card: 'aside',
    cell: ({ state }) => <StatusBadge color={stateBadges[state].color}>{stateBadges[state].words}</StatusBadge>,
  },
  { header: 'Model there', cell: ({ upstreamModel }) => upstreamModel, breaksWords: true },
  measured('Uptime', (figures) => formatUptime(figures?.uptimePercent ?? null)),
  measuredTime('p50', ({ p50Ms }) => p50Ms),
  measuredTime('p95', ({ p95Ms }) => p95Ms),
  measuredTime('TTFT, p50', ({ firstByteP50Ms }) => firstByteP50Ms),
];

function Providers({ model: { id, routes } }: { model: Model }) {
  const { error, refetch, findFigures } = useMeasures();
  const rows = routes.map((route) => ({ ...route, figures: findFigures(route.provider, id) }));
  return (
    <SectionCard
      title="Providers"
      description={
        <>
          Providers are tried in this order; <code>provider/{id}</code> asks for a specific one. Uptime and times cover
          the last 30 days and all accounts, once a provider has answered {callsMeasured} calls.
        </>
      }
    >
      {error && <ErrorPanel title="The measurements could not be loaded" error={error} onRetry={refetch} />}
      <RecordTable
        label="Providers"
        rows={rows}
        keyOf={({ provider, upstreamModel }) => `${provider}/${upstreamModel}`}
        columns={routeColumns}
      />
    </SectionCard>
  );
}
