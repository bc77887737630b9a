import { type Finding, type LedgerReport, rowsCountedMax } from './verify-ledger.js';

const verdictWords: Readonly<Record<Finding['verdict'], string>> = {
  ok: 'ok     ',
  broken: 'BROKEN ',
  warning: 'warning',
};

/** A report for a person at a terminal: one line an invariant, with up to ten of the rows that break it. */
export function printLedgerReport(report: LedgerReport): string {
  const brokenCount = report.findings.filter(({ verdict }) => verdict === 'broken').length;
  const counts = Object.entries(report.rowCounts).map(([table, count]) => `${count} ${table}`);
  const verdict = brokenCount === 0 ? 'The ledger adds up.' : `THE LEDGER DOES NOT ADD UP: ${brokenCount} broken.`;
  return [
    `Verified in one snapshot: ${counts.join(', ')} rows.`,
    '',
    ...report.findings.flatMap(printFinding),
    '',
    `${verdict} ${report.findings.length} statements in ${toSeconds(report.durationMs)} s.`,
  ].join('\n');
}

function printFinding({ sentence, verdict, rowCount, rows, durationMs }: Finding): string[] {
  const line = `${verdictWords[verdict]} ${toSeconds(durationMs)} s  ${sentence}`;
  if (rowCount === 0) return [line];
  const countWords = `${rowCount}${rowCount >= rowsCountedMax ? ' or more' : ''} row${rowCount === 1 ? '' : 's'}`;
  return [`${line}: ${countWords}`, ...rows.map((row) => `          ${JSON.stringify(row)}`)];
}

function toSeconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(2);
}
