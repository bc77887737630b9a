import type { EventReport } from './measure-event.js';

const columns = [
  'event',
  'calls',
  'a second',
  'failed',
  'lost',
  'double',
  'stuck',
  'longest gap',
  'database’s gap',
  'books',
];

/** One table of all events, as text for a page. */
export function describeReports(reports: readonly EventReport[]): string {
  return [toLine(columns), toLine(columns.map(() => '---')), ...reports.map(describeReport)].join('\n');
}

/** One line of that table. */
export function describeReport(report: EventReport): string {
  return toLine([
    report.event,
    `${report.calls}${report.skipped > 0 ? ` (${report.skipped} not begun)` : ''}`,
    report.callsPerSecond.toFixed(0),
    describeFailed(report.failed),
    ...[report.lost, report.double, report.stuck].map(String),
    describeSeconds(report.longestGapMs),
    describeSeconds(report.databaseGapMs),
    report.faults.length === 0 ? 'sound' : `${report.faults.length} fault(s)`,
  ]);
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function describeFailed(failed: EventReport['failed']): string {
  const kinds = Object.entries(failed);
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return '0';
  return `${total}: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

function describeSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
