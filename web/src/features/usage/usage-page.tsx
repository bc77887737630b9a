import { useQuery } from '@apollo/client/react';
import { Button, Group, SegmentedControl, Skeleton, Stack, Tabs } from '@mantine/core';
import { useDeferredValue } from 'react';
import { useSearchParams } from 'react-router';
import { paths, serverPaths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconChartBar, IconDownload } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { KeptAnswer } from '../../components/reports/kept-answer';
import { RangePicker } from '../../components/reports/range-picker';
import { SectionCard } from '../../components/section-card';
import { TextFilter } from '../../components/tables/search-filters';
import { graphql } from '../../gql';
import type { UsageGrouping } from '../../gql/graphql';
import { nameOfKey } from '../../lib/name-of-key';
import { requestsBehind, spanOfBar } from '../../lib/reports/requests-behind';
import {
  type Bucket,
  possibleBuckets,
  type RangeChoice,
  readRange,
  spanOf,
  type TimeSpan,
  toReportTime,
  usualBucket,
  withoutBucket,
  writeRange,
} from '../../lib/reports/time-range';
import type { UsageMetric } from '../../lib/reports/usage-series';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import { usePresentHour } from '../../lib/use-now';
import { useSearchChoice } from '../../lib/use-search-choice';
import { useSearchChange } from '../../lib/use-search-value';
import { LatencyTable } from './latency-table';
import classes from './usage.module.css';
import { UsageChart } from './usage-chart';
import { UsageTotals } from './usage-totals';

const UsageDocument = graphql(`
  query Usage($input: UsageInput!) {
    apiKeys {
      id
      name
    }
    usage(input: $input) {
      total {
        ...UsageSumsFields
      }
      buckets {
        start
        sums {
          ...UsageSumsFields
        }
      }
      groups {
        key
        sums {
          ...UsageSumsFields
        }
        buckets {
          calls
          promptTokens
          completionTokens
          charged
        }
      }
    }
  }
`);

const metrics = ['credits', 'tokens', 'calls'] as const;
const divisions = ['model', 'provider', 'key'] as const;
const groupings: Record<(typeof divisions)[number], UsageGrouping> = {
  model: 'MODEL',
  provider: 'PROVIDER',
  key: 'API_KEY',
};
const bucketWords: Record<Bucket, string> = { HOUR: 'Hour', DAY: 'Day', MONTH: 'Month' };

/** What the account has used: how much, of what, and when. The address keeps every choice. */
export function UsagePage() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const [division, setDivision] = useSearchChoice('by', divisions);
  const tag = search.get('tag');
  const range = readRange(search, '30d');
  const span = spanOf(range, usePresentHour());
  const buckets = possibleBuckets(span);
  const wantedBucket = buckets.find((name) => name.toLowerCase() === search.get('per'));
  const bucket = wantedBucket ?? usualBucket(span);
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <RangePicker choice={range} onChoose={(choice) => change((now) => withoutBucket(writeRange(now, choice)))} />
        <Group gap="xs">
          <TextFilter label="Tag" name="tag" />
          <SegmentedControl
            aria-label="Group by"
            classNames={{ label: classes.choice }}
            data={divisions.map((value) => ({ value, label: `By ${value}` }))}
            value={division}
            onChange={setDivision}
          />
          {buckets.length > 1 && (
            <SegmentedControl
              aria-label="Interval"
              data={buckets.map((value) => ({ value, label: bucketWords[value] }))}
              value={bucket}
              onChange={(chosen) => change({ per: chosen.toLowerCase() })}
            />
          )}
          <CsvButton span={span} tag={tag} />
        </Group>
      </Group>
      <Measures range={range} span={span} bucket={bucket} division={division} tag={tag} />
    </Stack>
  );
}

interface MeasuresProps {
  range: RangeChoice;
  span: TimeSpan;
  bucket: Bucket;
  division: (typeof divisions)[number];
  tag: string | null;
}

/** A tab for each measure. Apart from what stands above it, which need not be drawn anew when the answer arrives. */
function Measures({ range, span, bucket, division, tag }: MeasuresProps) {
  const [metric, setMetric] = useSearchChoice('show', metrics);
  const { data, error, refetch } = useQuery(UsageDocument, {
    variables: {
      input: {
        ...toReportTime(span),
        bucket,
        groupBy: [groupings[division]],
        ...(tag && { filter: { tags: [tag] } }),
      },
    },
  });
  // As `InPieces`, but for all tabs at once: whoever goes from one to another is shown no outline.
  const isDue = useDeferredValue(data !== undefined, false);

  return (
    <Tabs value={metric} onChange={(value) => value && setMetric(value)} keepMounted={false} aria-label="Measure">
      <Tabs.List mb="lg">
        <Tabs.Tab value="credits">Credits</Tabs.Tab>
        <Tabs.Tab value="tokens">Tokens</Tabs.Tab>
        <Tabs.Tab value="calls">Calls</Tabs.Tab>
      </Tabs.List>
      {metrics.map((name) => (
        <Tabs.Panel key={name} value={name}>
          {error && <ErrorPanel title="Your usage could not be loaded" error={error} onRetry={refetch} />}
          {!error && (
            <KeptAnswer outline={<UsageSkeleton />}>
              {data && isDue ? (
                <Report
                  report={data.usage}
                  metric={name}
                  bucket={bucket}
                  division={division}
                  span={span}
                  nameOf={(key) => nameGroup(key, division, data.apiKeys)}
                  requestsOfGroup={(key) => {
                    const narrowing = new URLSearchParams({ [division]: key, ...(tag && { tag }) });
                    return paths.requests(writeRange(narrowing, range));
                  }}
                  requestsOf={(bar, key) => {
                    const starts = data.usage.buckets.map(({ start }) => start);
                    const narrowing = { ...(tag && { tag }), ...(key !== null && { [division]: key }) };
                    return requestsBehind(spanOfBar(starts, bar, span, bucket), narrowing);
                  }}
                />
              ) : null}
            </KeptAnswer>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The calls behind the report, as a file. */
function CsvButton({ span, tag }: { span: TimeSpan; tag: string | null }) {
  const times = { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() };
  return (
    <Button
      component="a"
      href={serverPaths.callsCsv({ ...times, ...(tag && { tag }) })}
      download
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      CSV
    </Button>
  );
}

function nameGroup(
  key: string | null,
  division: (typeof divisions)[number],
  apiKeys: readonly { id: string; name: string }[],
): string {
  if (key === null) return 'All others';
  return division === 'key' ? nameOfKey(key, apiKeys) : key;
}

type ReportProps = Parameters<typeof UsageChart>[0] & Parameters<typeof UsageTotals>[0] & { span: TimeSpan };

function Report(props: ReportProps & { metric: UsageMetric }) {
  const mayTry = mayDo(useRole(), 'build');
  if (props.report.total.calls === 0) {
    return (
      <SectionCard title="No calls in this time">
        <EmptyState
          icon={<IconChartBar size={24} />}
          title="Nothing was used"
          action={mayTry && <LinkButton to={paths.playground()}>Try a model</LinkButton>}
        >
          Calls appear here as soon as they are billed. Choose a longer time above, or make a call.
        </EmptyState>
      </SectionCard>
    );
  }
  return (
    <Stack gap="lg">
      <UsageChart {...props} />
      <UsageTotals {...props} />
      <LatencyTable span={props.span} groupBy={props.division === 'model' ? 'MODEL' : 'PROVIDER'} />
    </Stack>
  );
}

function UsageSkeleton() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={400} radius="lg" />
      <Skeleton height={240} radius="lg" />
    </Stack>
  );
}
