import { liveInvariants } from './check-ledger.js';
import { journalInvariants, totalsInvariants } from './sums-invariants.js';
import { type LedgerReport, listBroken } from './verify-ledger.js';

/** Broken, these say nothing against receipts: they are about what receipts are summed to, or about holds that nobody has ended yet. */
const sentencesAboutSums: ReadonlySet<string> = new Set([
  'the hours of use sum to the receipts, with those of sealed months',
  'a sealed month and what is left of its receipts are what its hours of use say',
  'what a limited key has spent and reserved in a period is what its calls of that time were charged and hold',
  'no key is above its spend limit by more than was permitted, and no more is permitted than is missing',
  ...Object.keys(totalsInvariants),
  ...Object.keys(journalInvariants),
  ...Object.keys(liveInvariants),
]);

/** Of a report about everything, what is broken and may mean that receipts themselves are wrong: nothing may be made anew from them then. */
export function listFaultsOfReceipts(report: LedgerReport): readonly string[] {
  return listBroken(report)
    .map(({ sentence }) => sentence)
    .filter((sentence) => !sentencesAboutSums.has(sentence));
}

/** Of a report about everything, the earliest time from which on the sums of all accounts or of their months are wrong; null: none is. */
export function findWrongTotalsMs(report: LedgerReport): number | null {
  const rows = listBroken(report).flatMap(({ sentence, rows }) => (sentence in totalsInvariants ? rows : []));
  return rows.length === 0 ? null : Math.min(...rows.map(({ hour_ms, month_ms }) => Number(hour_ms ?? month_ms ?? 0)));
}
