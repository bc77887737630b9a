import { Text } from '@mantine/core';
import { paths } from '../app/paths';
import { PageHeader } from '../components/page-header';
import { Swatch } from '../components/reports/chart-frame';
import { KeptAnswer } from '../components/reports/kept-answer';
import { LineChart } from '../components/reports/line-chart';
import { RequestsOfTime } from '../components/reports/requests-of-time';
import { StackedBars } from '../components/reports/stacked-bars';
import { SectionCard } from '../components/section-card';
import { FoldedTable } from '../components/tables/folded-table';
import { RecordLines } from '../components/tables/record-lines';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../components/tables/record-table';
import { SortHead } from '../components/tables/sort-head';
import { groupThousands } from '../lib/format/format-credits';
import type { Sample } from './sample';

interface Row {
  readonly model: string;
  readonly tokens: number;
}

const rows: readonly Row[] = ['demo-small', 'demo-large', 'a-model-with-quite-a-long-name'].map((model, at) => ({
  model,
  tokens: (at + 1) * 12_345,
}));
const columns: readonly RecordColumn<Row>[] = [
  { header: 'Model', card: 'title', cell: ({ model }) => model },
  { header: 'Tokens', align: 'right', cell: ({ tokens }) => groupThousands(tokens) },
];
const withSort = (column: RecordColumn<Row>): RecordColumn<Row> => {
  const isSorted = column.header === 'Tokens';
  const head = <SortHead name={column.header} direction="descending" isSorted={isSorted} onSort={() => undefined} />;
  return { ...column, sort: { head, is: isSorted ? 'descending' : undefined } };
};
const lineColumns: readonly RecordColumn<Row>[] = [
  ...columns.map((column) => (column.header === 'Tokens' ? { ...column, card: 'figure' as const } : column)),
  { header: 'Tier', cell: () => 'lower' },
];
const table = { columns, rows, keyOf: ({ model }: Row) => model };

const days = Array.from({ length: 14 }, (_, at) => ({
  id: String(at),
  name: `${at + 1} November`,
  shortName: String(at + 1),
}));
const valuesOf = (factor: number) => days.map((_, at) => ((at * 37) % 11) * factor);
const series = [
  { id: 'a', label: 'demo-small', color: 'var(--series-1)', values: valuesOf(100) },
  { id: 'b', label: 'demo-large', color: 'var(--series-2)', values: valuesOf(60) },
];
const figures = { format: groupThousands, formatShort: groupThousands, linkOf: () => paths.requests() };

/** What holds figures. */
export const chartSamples: readonly Sample[] = [
  {
    file: 'page-header',
    shown: <PageHeader title="Components" description="The one first-level heading of a page, here once more." />,
  },
  {
    file: 'section-card',
    shown: (
      <SectionCard title="A card" description="With words below its title.">
        <Text>What it holds.</Text>
      </SectionCard>
    ),
  },
  {
    file: 'record-table',
    shown: (
      <>
        <RecordTable label="Models" {...table} />
        <RecordSkeleton rows={2} />
      </>
    ),
  },
  { file: 'sort-head', shown: <RecordTable label="Sorted models" {...table} columns={columns.map(withSort)} /> },
  { file: 'record-lines', shown: <RecordLines label="Models as lines" {...table} columns={lineColumns} /> },
  { file: 'folded-table', shown: <FoldedTable label="Folded models" what="models" rowsShown={1} {...table} /> },
  { file: 'stacked-bars', shown: <StackedBars label="Tokens by day" bars={days} series={series} {...figures} /> },
  {
    file: 'chart-frame',
    shown: (
      <Text>
        <Swatch color="var(--series-1)" /> The colour of a series beside its name.
      </Text>
    ),
  },
  { file: 'line-chart', shown: <LineChart label="Tokens as lines" points={days} series={series} {...figures} /> },
  { file: 'kept-answer', shown: <KeptAnswer outline={null}>The last answer, dimmed while another is due.</KeptAnswer> },
  {
    file: 'requests-of-time',
    shown: <RequestsOfTime start="2026-11-03T14:00:00.000Z" bucket="HOUR" to={paths.requests()} />,
  },
];
