import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { IconX } from '../../components/icons';
import { RangePicker } from '../../components/reports/range-picker';
import { SelectFilter } from '../../components/tables/search-filters';
import type { LedgerEntryType, StatementFilter } from '../../gql/graphql';
import { formatUtcTime } from '../../lib/format/format-time';
import { readRange, spanOf, writeRange } from '../../lib/reports/time-range';
import { useSearchChange } from '../../lib/use-search-value';
import classes from './statement-list.module.css';

const kinds: readonly { readonly value: string; readonly label: string; readonly types: LedgerEntryType[] }[] = [
  { value: 'in', label: 'Credits in', types: ['PURCHASE', 'GRANT', 'REFUND_RETURNED', 'DISPUTE_RETURNED'] },
  { value: 'purchases', label: 'Purchases', types: ['PURCHASE'] },
  { value: 'used', label: 'Used by calls', types: ['USAGE'] },
  { value: 'back', label: 'Refunds and disputes', types: ['REFUND', 'REFUND_RETURNED', 'DISPUTE', 'DISPUTE_RETURNED'] },
  { value: 'corrections', label: 'Corrections', types: ['ADJUSTMENT'] },
];

const timeNames = ['range', 'from', 'to'] as const;
const hasRange = (search: URLSearchParams) => timeNames.some((name) => search.has(name));

/** Whether the address leaves lines out. */
export function isNarrowed(search: URLSearchParams): boolean {
  return hasRange(search) || search.has('lines');
}

/** Which lines the address names; what is faulty there is left out. */
export function readStatementFilter(search: URLSearchParams, nowMs: number): StatementFilter {
  const types = kinds.find(({ value }) => value === search.get('lines'))?.types ?? null;
  if (!hasRange(search)) return { types };
  const { fromMs, toMs } = spanOf(readRange(search, '12m'), nowMs);
  return { types, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** Which lines these are, in words: `Purchases. From 2026-11-01 00:00:00 UTC until 2026-12-01 00:00:00 UTC.` */
export function describeStatementFilter(search: URLSearchParams, { from, to }: StatementFilter): string {
  const kind = kinds.find(({ value }) => value === search.get('lines'))?.label ?? 'All lines';
  return from && to ? `${kind}. From ${formatUtcTime(from)} until ${formatUtcTime(to)}.` : `${kind}.`;
}

/** The same lines, as the download asks for them. */
export function toExportQuery({ types, from, to }: StatementFilter): Record<string, string> {
  return {
    ...(types ? { type: types.join(',').toLowerCase() } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

/** Chooses which lines are listed; every choice goes into the address. @param props.children What is done with them. */
export function StatementFilterBar({ children }: { children: ReactNode }) {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const showAll = () => change(Object.fromEntries(['lines', ...timeNames].map((name) => [name, null])));
  return (
    <Group gap="xs" mb="md" className={`${classes.filters} not-printed`}>
      <SelectFilter label="Lines" name="lines" choices={kinds} />
      <RangePicker
        choice={hasRange(search) ? readRange(search, '12m') : null}
        onChoose={(choice) => change((now) => writeRange(now, choice))}
      />
      {isNarrowed(search) && (
        <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={showAll}>
          All lines
        </Button>
      )}
      {children}
    </Group>
  );
}
