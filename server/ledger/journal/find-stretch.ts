/** A line of a wallet's journal, and when it was booked. */
export interface TimedLine {
  readonly walletSeq: number;
  readonly atMs: number;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Between which lines those of a span of time lie, told from some lines of a wallet alone, about as far from each other in time. Lines that
 * were booked by a right clock are within the bounds also where others, for however long, were booked by one that was far ahead or behind;
 * of these it has what stands beside one of the given lines that is of the span.
 * @param lines In their order, the first and the newest of the wallet among them.
 * @returns `lastSeq` is null where it goes to the newest line; null: there are none.
 */
export function findStretch(
  lines: readonly TimedLine[],
  { fromMs, toMs }: Span,
): { readonly firstSeq: number; readonly lastSeq: number | null } | null {
  const fits = lines.map(({ atMs }, n) => {
    const nextMs = lines[n + 1]?.atMs;
    if (nextMs === undefined) return atMs >= fromMs && atMs <= toMs;
    // One of the two may be of another clock, so what stands between them is bounded by the next ones that are not out of order, too.
    const before = lines.findLastIndex((line, at) => at <= n && line.atMs <= nextMs);
    const after = lines.findIndex((line, at) => at > n && line.atMs >= atMs);
    const earliestMs = Math.min(atMs, nextMs, lines[Math.max(0, before - 1)]?.atMs ?? nextMs);
    const latestMs = Math.max(atMs, nextMs, after === -1 ? atMs : ((lines[after + 1] ?? lines[after])?.atMs ?? atMs));
    return latestMs >= fromMs && earliestMs <= toMs;
  });
  const first = lines[fits.indexOf(true)];
  if (first === undefined) return null;
  return { firstSeq: first.walletSeq, lastSeq: lines[fits.lastIndexOf(true) + 1]?.walletSeq ?? null };
}
