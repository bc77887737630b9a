import {
  isNothingWaiting,
  printWaitingSettlements,
  type WaitingSettlements,
} from '../settlements/waiting-settlements.js';
import { type Finding, type LedgerReport, rowsCountedMax } from './verify-ledger.js';

const verdictWords: Readonly<Record<Finding['verdict'], string>> = {
  ok: 'ok     ',
  broken: 'BROKEN ',
  warning: 'warning',
};

/** What is nobody's mistake, and what ends it. */
const remedies: Readonly<Record<string, string>> = {
  'no hold outlives its lease by two minutes':
    'Calls of before, as in a restored backup, that no server has ended. Start one, and verify again two minutes later.',
};

/**
 * A report for a person at a terminal: one line an invariant, with up to ten of the rows that break it, and what stands on this
 * machine's disk and is not in the books yet.
 */
export function printLedgerReport(report: LedgerReport, waiting: WaitingSettlements): string {
  const brokenCount = report.findings.filter(({ verdict }) => verdict === 'broken').length;
  const counts = Object.entries(report.rowCounts).map(([table, count]) => `${count} ${table}`);
  const verdict = brokenCount === 0 ? describeSound(waiting) : `THE LEDGER DOES NOT ADD UP: ${brokenCount} broken.`;
  return [
    `Verified in one snapshot: ${counts.join(', ')} rows.`,
    '',
    ...report.findings.flatMap(printFinding),
    ...printWaitingSettlements(waiting),
    '',
    `${verdict} ${report.findings.length} statements in ${toSeconds(report.durationMs)} s.`,
  ].join('\n');
}

function describeSound(waiting: WaitingSettlements): string {
  if (isNothingWaiting(waiting)) return 'The ledger adds up.';
  const sums = [waiting.kept, waiting.quarantined, waiting.ofOthers];
  const settlements = sums.reduce((total, sum) => total + sum.settlements, 0);
  const tokens = sums.reduce((total, sum) => total + sum.tokens, 0);
  return `What is booked adds up, but NOT ALL IS BOOKED: ${settlements} settlements with ${tokens} tokens wait on this machine.`;
}

function printFinding({ sentence, verdict, rowCount, rows, durationMs }: Finding): string[] {
  const line = `${verdictWords[verdict]} ${toSeconds(durationMs)} s  ${sentence}`;
  if (rowCount === 0) return [line];
  const countWords = `${rowCount}${rowCount >= rowsCountedMax ? ' or more' : ''} row${rowCount === 1 ? '' : 's'}`;
  const below = [...rows.map((row) => JSON.stringify(row)), ...(sentence in remedies ? [remedies[sentence]] : [])];
  return [`${line}: ${countWords}`, ...below.map((text) => `          ${text}`)];
}

function toSeconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(2);
}
