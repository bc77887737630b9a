/** Several measurements of one thing. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  return { median: percentileOf(sorted, 0.5), min: sorted[0] as number, max: sorted.at(-1) as number };
}

/** Of values that are sorted already; `share` from 0 to 1. */
export function percentileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

/** `12,345 (11,900-12,500)`; with decimals for small figures. */
export function showSpread({ median, min, max }: Spread): string {
  return `${showNumber(median)} (${showNumber(min)}-${showNumber(max)})`;
}

/** `12,345`; with two decimals below 100. */
export function showNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}

/** A table of Markdown, which reads well on a screen as well. */
export function showTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
