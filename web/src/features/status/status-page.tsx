import { useQuery } from '@apollo/client/react';
import { Stack, Text } from '@mantine/core';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconActivityHeartbeat } from '../../components/icons';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { FoldedTable } from '../../components/tables/folded-table';
import { type RecordColumn, RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { ProvidersNowQuery } from '../../gql/graphql';
import { formatMeasuredTime, formatUptime } from '../../lib/reports/measure-words';
import { stateBadges } from '../../lib/reports/provider-state';
import { type MeasuredProvider, useMeasures } from '../../lib/reports/use-measures';
import classes from './status.module.css';
import { UptimeDays } from './uptime-days';

const ProvidersNowDocument = graphql(`
  query ProvidersNow {
    providers {
      id
      name
      isDemo
      state
    }
    announcements {
      id
      isMaintenance
      text
      startsAt
      endsAt
    }
  }
`);

function isMaintainedNow({ isMaintenance, startsAt }: ProvidersNowQuery['announcements'][number]): boolean {
  return isMaintenance && Date.parse(startsAt) <= Date.now();
}

function describeVerdict(isMaintained: boolean, down: readonly string[]): string {
  if (isMaintained) return 'This server is under maintenance. New calls are refused, at no cost.';
  if (down.length === 0) return 'All systems are up.';
  return `This server is up, but ${down.join(', ')} failed recently.`;
}

/** How each provider does now and did in the last 30 days, for everybody. */
export function StatusPage() {
  const { data, error: providersError, refetch: refetchProviders } = useQuery(ProvidersNowDocument, {});
  const { measured, error, refetch } = useMeasures();
  const isMaintained = data?.announcements.some(isMaintainedNow) === true;
  const down = data?.providers.filter(({ state }) => state !== 'HEALTHY') ?? [];
  // Until both are there, nothing is said: no card grows beneath whoever reads it, and none claims that nothing was measured.
  const isWaiting = (!data && !providersError) || (!measured && !error);
  return (
    <Stack gap="lg">
      {providersError && (
        <ErrorPanel title="The providers could not be loaded" error={providersError} onRetry={refetchProviders} />
      )}
      {error && <ErrorPanel title="The measurements could not be loaded" error={error} onRetry={refetch} />}
      {isWaiting && <RecordSkeleton rows={20} />}
      {data && !isWaiting && data.providers.length > 0 && (
        <p className={classes.verdict} data-state={down.length === 0 && !isMaintained ? 'up' : 'partly'} role="status">
          {describeVerdict(
            isMaintained,
            down.map(({ name }) => name),
          )}
        </p>
      )}
      {data?.providers.length === 0 && !isWaiting && (
        <EmptyState icon={<IconActivityHeartbeat size={24} />} title="No providers yet">
          The operator of this server has not set up a provider yet.
        </EmptyState>
      )}
      {(isWaiting ? [] : (data?.providers ?? [])).map(({ id, name, isDemo, state }) => (
        <SectionCard
          key={id}
          title={name}
          description={isDemo ? 'Demo, not a real AI' : undefined}
          action={<StatusBadge color={stateBadges[state].color}>{stateBadges[state].words}</StatusBadge>}
        >
          {measured && (
            <ProviderMeasures
              name={name}
              measured={measured.providers.find(({ provider }) => provider === id) ?? null}
            />
          )}
        </SectionCard>
      ))}
      {measured && !isWaiting && (
        <Text size="sm" c="dimmed">
          Measured <RelativeTime at={measured.measuredAt} />, from up to 100 calls of each hour of the last 30 days,
          over all accounts. Uptime is the share of requests that a provider answered. If one fails, the next is tried,
          and a call that nobody answered is free. Days are in UTC.
        </Text>
      )}
    </Stack>
  );
}

/** What was measured, and in one sentence what was not. */
function ProviderMeasures({ name, measured }: { name: string; measured: MeasuredProvider | null }) {
  if (measured === null) return <Text c="dimmed">Not measured yet: it had no calls in the last 30 days.</Text>;
  const { figures, days } = measured;
  if (figures.uptimePercent === null)
    return <Text c="dimmed">Not measured yet: it had too few calls in the last 30 days.</Text>;
  const models = measured.models.filter((model) => model.figures.uptimePercent !== null);
  return (
    <>
      <dl className={classes.figures}>
        <Figure name="Uptime, 30 days" value={formatUptime(figures.uptimePercent)} />
        <Figure name="p50" value={formatMeasuredTime(figures.p50Ms)} />
        <Figure name="p95" value={formatMeasuredTime(figures.p95Ms)} />
        <Figure name="TTFT, p50" value={formatMeasuredTime(figures.firstByteP50Ms)} />
      </dl>
      <UptimeDays name={name} days={days} />
      {models.length > 0 && (
        <FoldedTable
          label={`Models of ${name}`}
          what="models"
          rowsShown={5}
          rows={models}
          keyOf={({ model }) => model}
          columns={modelColumns}
        />
      )}
      <Unmeasured count={measured.models.length - models.length} isEvery={models.length === 0} />
    </>
  );
}

type MeasuredModel = MeasuredProvider['models'][number];

const modelColumns: readonly RecordColumn<MeasuredModel>[] = [
  { header: 'Model', card: 'title', cell: ({ model }) => model },
  { header: 'Uptime', align: 'right', card: 'figure', cell: ({ figures }) => formatUptime(figures.uptimePercent) },
  { header: 'p50', align: 'right', cell: ({ figures }) => formatMeasuredTime(figures.p50Ms) },
  { header: 'p95', align: 'right', cell: ({ figures }) => formatMeasuredTime(figures.p95Ms) },
  { header: 'TTFT, p50', align: 'right', cell: ({ figures }) => formatMeasuredTime(figures.firstByteP50Ms) },
];

/** Models that were asked too few times, which rows of empty figures would bury the others under. */
function Unmeasured({ count, isEvery }: { count: number; isEvery: boolean }) {
  if (count === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      {`${count}${isEvery ? '' : ' more'} ${count === 1 ? 'model' : 'models'} had too few calls to be measured.`}
    </Text>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
