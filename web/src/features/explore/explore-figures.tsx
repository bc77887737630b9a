import { Anchor, Table } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { Swatch } from '../../components/reports/chart-frame';
import { RequestsOfTime } from '../../components/reports/requests-of-time';
import { type ExploreSeries, type ExploreView, formatChange, listColumns } from '../../lib/reports/explore-view';
import { writeRange } from '../../lib/reports/time-range';
import { formatShare } from '../../lib/reports/usage-series';
import type { LinkOfBar } from '../../lib/reports/use-pointed-bar';
import classes from './explore.module.css';
import { colorsOf } from './series-color-of';
import type { ExploreChoices } from './use-explore-choices';

interface ExploreFiguresProps {
  view: ExploreView;
  choices: ExploreChoices;
  title: string;
  linkOf: LinkOfBar;
}

/** One row for each bar, the newest first, one column for each colour. */
export function ExploreFigures({ view, choices, title, linkOf }: ExploreFiguresProps) {
  const { metric, unit, bucket } = choices;
  const columns = listColumns(view);
  const show = (value: number | null | undefined) => (typeof value === 'number' ? metric.format(value, unit) : '–');
  const rows = view.starts.map((start, at) => ({ start, at })).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, also by keyboard
    <section className={classes.tableScroll} tabIndex={0} aria-label={`Table: ${title}`}>
      <Table aria-label={title} stickyHeader verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time (UTC)</Table.Th>
            {columns.map(({ key, label }) => (
              <Table.Th key={`${key} ${label}`} ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="numeric">
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            {columns.map(({ key, label, total }) => (
              <Table.Td key={`${key} ${label}`} ta="right" fw={600}>
                {show(total)}
              </Table.Td>
            ))}
          </Table.Tr>
          {rows.map(({ start, at }) => (
            <Table.Tr key={start}>
              <Table.Th scope="row" fw={500} className="unbroken">
                <RequestsOfTime start={start} bucket={bucket} to={linkOf(at, -1)} />
              </Table.Th>
              {columns.map(({ key, label, values }) => (
                <Table.Td key={`${key} ${label}`} ta="right">
                  {show(values[at])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Each group over the whole period, and the way to its requests. */
export function ExploreGroups({ view, choices }: Omit<ExploreFiguresProps, 'title' | 'linkOf'>) {
  const { metric, unit, isCompared } = choices;
  const colors = colorsOf(view, choices);
  const show = (value: number | null) => (value === null ? '–' : metric.format(value, unit));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, also by keyboard
    <section className={classes.groups} tabIndex={0} aria-label="Table: Groups">
      <Table aria-label="Groups" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            <Table.Th ta="right">{metric.label}</Table.Th>
            {metric.isSum && <Table.Th ta="right">Share</Table.Th>}
            {isCompared && <Table.Th ta="right">Before</Table.Th>}
            {isCompared && <Table.Th ta="right">Change</Table.Th>}
            <Table.Th ta="right">Requests</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="numeric">
          {view.series.map((part, at) => (
            <Table.Tr key={`${part.key} ${part.label}`}>
              <Table.Th scope="row">
                <span className={classes.group}>
                  <Swatch color={colors[at] ?? ''} />
                  <span>{part.label}</span>
                </span>
              </Table.Th>
              <Table.Td ta="right">{show(part.total)}</Table.Td>
              {metric.isSum && (
                <Table.Td ta="right" className="unbroken">
                  {part.total === null || view.all.total === null ? '–' : formatShare(part.total, view.all.total)}
                </Table.Td>
              )}
              {isCompared && <Table.Td ta="right">{show(part.previous)}</Table.Td>}
              {isCompared && (
                <Table.Td ta="right" className="unbroken">
                  {formatChange(part.total, part.previous) ?? '–'}
                </Table.Td>
              )}
              <Table.Td ta="right">
                <RequestsLink part={part} choices={choices} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function RequestsLink({ part, choices }: { part: ExploreSeries; choices: ExploreChoices }) {
  if (part.filter === null) return '–';
  const narrowing = { ...choices.narrowing, ...part.filter };
  const next = writeRange(new URLSearchParams(Object.entries(narrowing)), choices.range);
  return (
    <Anchor
      component={Link}
      to={paths.requests(next)}
      inherit
      className="lone-link"
      aria-label={`Show requests of ${part.label}`}
    >
      Show
    </Anchor>
  );
}
