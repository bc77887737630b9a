import { Table } from '@mantine/core';
import { RequestsOfTime } from '../../components/reports/requests-of-time';
import type { Bucket } from '../../lib/reports/time-range';
import { formatMeasure, measure, type UsageMetric, type UsageReport } from '../../lib/reports/usage-series';
import type { LinkOfBar } from '../../lib/reports/use-pointed-bar';
import classes from './usage.module.css';

interface BucketTableProps {
  report: UsageReport;
  metric: UsageMetric;
  bucket: Bucket;
  series: readonly { readonly id: string; readonly label: string; readonly values: readonly number[] }[];
  title: string;
  linkOf: LinkOfBar;
}

/** One row for each bar, the newest first, one column for each colour. */
export function BucketTable({ report, metric, bucket, series, title, linkOf }: BucketTableProps) {
  const rows = report.buckets.map(({ start, sums }, index) => ({ start, sums, index })).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, also by keyboard
    <section className={classes.tableScroll} tabIndex={0} aria-label={`Table: ${title}`}>
      <Table aria-label={title} stickyHeader verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time (UTC)</Table.Th>
            {series.map(({ id, label }) => (
              <Table.Th key={id} ta="right">
                {label}
              </Table.Th>
            ))}
            <Table.Th ta="right">Total</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="numeric">
          {rows.map(({ start, sums, index }) => (
            <Table.Tr key={start}>
              <Table.Th scope="row" fw={500} className="unbroken">
                <RequestsOfTime start={start} bucket={bucket} to={linkOf(index, -1)} />
              </Table.Th>
              {series.map(({ id, values }) => (
                <Table.Td key={id} ta="right">
                  {formatMeasure(values[index] ?? 0, metric)}
                </Table.Td>
              ))}
              <Table.Td ta="right" fw={600}>
                {formatMeasure(measure(sums, metric), metric)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
