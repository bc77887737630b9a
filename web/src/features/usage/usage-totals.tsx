import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Swatch } from '../../components/reports/chart-frame';
import { SectionCard } from '../../components/section-card';
import { FoldedTable } from '../../components/tables/folded-table';
import { RecordLines } from '../../components/tables/record-lines';
import type { RecordColumn } from '../../components/tables/record-table';
import { formatCreditsAligned, groupThousands } from '../../lib/format/format-credits';
import { chartColors, othersColor, type SeriesDimension } from '../../lib/reports/series-colors';
import {
  formatShare,
  measure,
  toStack,
  type UsageMetric,
  type UsageReport,
  type UsageSums,
} from '../../lib/reports/usage-series';
import classes from './usage.module.css';

interface UsageTotalsProps {
  report: UsageReport;
  metric: UsageMetric;
  division: SeriesDimension;
  nameOf: (key: string | null) => string;
  /** The address of the requests of a group over the whole period. */
  requestsOfGroup: (key: string) => string;
}

interface Row {
  readonly key: string;
  readonly name: string;
  /** The one that it has in the chart: its own, or the grey of all others. */
  readonly color: string;
  readonly sums: UsageSums;
}

/** Everything about each group over the whole period, whatever the chart shows. */
export function UsageTotals({ report, metric, division, nameOf, requestsOfGroup }: UsageTotalsProps) {
  const drawn = toStack(report, metric).map(({ key }) => key);
  const colors = new Map(chartColors(division, drawn).map((color, at) => [drawn[at], color]));
  const rows: Row[] = report.groups
    .map(({ key, sums }) => ({
      key,
      sums,
      name: nameOf(key),
      color: colors.get(key) ?? othersColor,
    }))
    .sort((a, b) => measure(b.sums, metric) - measure(a.sums, metric));
  return (
    <SectionCard title={`By ${division}`} description="Over the whole period, the largest first.">
      <FoldedTable
        rowsShown={10}
        what={`${division}s`}
        label={`Usage by ${division}`}
        narrow={RecordLines}
        columns={[
          ...columns(division, metric, report.total),
          {
            header: 'Requests',
            align: 'right',
            cell: ({ key, name }) => (
              <Anchor
                component={Link}
                to={requestsOfGroup(key)}
                inherit
                className="lone-link"
                aria-label={`Show requests of ${name}`}
              >
                Show
              </Anchor>
            ),
          },
        ]}
        rows={rows}
        keyOf={({ key }) => key}
      />
    </SectionCard>
  );
}

const orUnknown = (tokens: number | null | undefined) => (tokens == null ? 'not known' : groupThousands(tokens));

/** What providers said of the tokens. Not known where a part of the time was not yet summed so. */
const tokenParts: readonly RecordColumn<Row>[] = [
  { header: 'Cached in', align: 'right', cell: ({ sums }) => orUnknown(sums.cachedTokens) },
  { header: 'Reasoning out', align: 'right', cell: ({ sums }) => orUnknown(sums.reasoningTokens) },
];

function columns(division: string, metric: UsageMetric, total: UsageSums): readonly RecordColumn<Row>[] {
  return [
    {
      header: division.charAt(0).toUpperCase() + division.slice(1),
      card: 'title',
      cell: ({ name, color }) => (
        <span className={classes.group}>
          <Swatch color={color} />
          <span>{name}</span>
        </span>
      ),
    },
    { header: 'Calls', align: 'right', cell: ({ sums }) => groupThousands(sums.calls) },
    {
      header: 'Failed',
      align: 'right',
      cell: ({ sums }) => (sums.failedCalls === 0 ? '0' : formatShare(sums.failedCalls, sums.calls)),
    },
    { header: 'Tokens in', align: 'right', cell: ({ sums }) => groupThousands(sums.promptTokens) },
    { header: 'Tokens out', align: 'right', cell: ({ sums }) => groupThousands(sums.completionTokens) },
    ...(metric === 'tokens' ? tokenParts : []),
    { header: 'Credits', align: 'right', card: 'figure', cell: ({ sums }) => formatCreditsAligned(sums.charged) },
    {
      header: 'Share',
      align: 'right',
      cell: ({ sums }) => (
        <span className="unbroken">{formatShare(measure(sums, metric), measure(total, metric))}</span>
      ),
    },
  ];
}
