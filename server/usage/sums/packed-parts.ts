import { areSame, type LedgerSums, sumLedgerSums, type UsageSums } from './usage-sums.js';

/** A part of a set: what it is divided by, under the names of the columns of receipts, and its sums. */
export type PartRow = Readonly<Record<string, unknown>>;

/** Parts by columns: what they are divided by as places in a list of the values that occur, sums as they are. */
export interface Pack {
  readonly columns: Readonly<Record<string, PackedColumn>>;
  readonly sums: Readonly<Record<PackedSum, readonly (number | null)[]>>;
}

export interface PackedColumn {
  readonly values: readonly string[];
  readonly at: readonly number[];
}

/** `toldCalls` is not kept: a part has cached and reasoning tokens of all its calls, or null for both. */
type PackedSum = Exclude<keyof UsageSums, 'toldCalls'>;

const packedSums: readonly PackedSum[] = [
  ...(['calls', 'failedCalls', 'promptTokens', 'completionTokens'] as const),
  ...(['chargedMillicredits', 'cachedTokens', 'reasoningTokens'] as const),
];

/** A set as it is kept: what it comes to, and its parts as `packParts` writes them. */
export interface PackedSet {
  readonly id: string;
  readonly sums: LedgerSums;
  readonly packs: readonly string[];
}

/** What a row of the database may have, with room for what a text of MySQL counts beside its letters. */
const packBytesMax = 60_000;

/** Packs parts into as few texts as have at most 60,000 bytes each; of no parts there are none. */
export function packParts(parts: readonly PartRow[], columns: readonly string[]): string[] {
  if (parts.length === 0) return [];
  const text = JSON.stringify(toPack(parts, columns));
  if (parts.length === 1 || Buffer.byteLength(text) <= packBytesMax) return [text];
  const middle = Math.ceil(parts.length / 2);
  return [...packParts(parts.slice(0, middle), columns), ...packParts(parts.slice(middle), columns)];
}

function toPack(parts: readonly PartRow[], columns: readonly string[]): Pack {
  const packed = columns.map((column) => {
    const places = new Map<string, number>();
    const at = parts.map((part) => {
      const value = String(part[column]);
      const place = places.get(value) ?? places.size;
      places.set(value, place);
      return place;
    });
    return [column, { values: [...places.keys()], at }] as const;
  });
  const all = (sum: PackedSum) => parts.map((part) => toNumber(part[sum]));
  const sums = {
    ...{ calls: all('calls'), failedCalls: all('failedCalls') },
    ...{ promptTokens: all('promptTokens'), completionTokens: all('completionTokens') },
    ...{ cachedTokens: all('cachedTokens'), reasoningTokens: all('reasoningTokens') },
    chargedMillicredits: all('chargedMillicredits'),
  };
  return { columns: Object.fromEntries(packed), sums };
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** What the parts of these texts come to; null where `packParts` did not write one. */
export function sumTexts(texts: readonly string[]): LedgerSums | null {
  const packs = readTexts(texts);
  return packs && sumLedgerSums(packs.map(sumPack));
}

/** null where `packParts` did not write one of them, and where they do not come to these sums. */
export function readSound(texts: readonly string[], sums: LedgerSums): readonly Pack[] | null {
  const packs = readTexts(texts);
  return packs !== null && areSame(sums, sumLedgerSums(packs.map(sumPack))) ? packs : null;
}

/** null where `packParts` did not write one. */
function readTexts(texts: readonly string[]): readonly Pack[] | null {
  try {
    const packs: readonly Pack[] = texts.map((text) => JSON.parse(text));
    return packs.every(isPack) ? packs : null;
  } catch {
    return null;
  }
}

/** Whether each part has a value of each column, and each sum as many figures. @throws for other than an object of such lists. */
function isPack({ columns, sums }: Pack): boolean {
  const count = sums.calls.length;
  return (
    Object.values(columns).every((column) => isColumn(column, count)) &&
    packedSums.every((sum) => sums[sum].length === count)
  );
}

// A loop, since this is asked of each part of a report.
function isColumn({ values, at }: PackedColumn, count: number): boolean {
  if (at.length !== count) return false;
  for (let part = 0; part < count; part += 1) if (values[at[part] as number] === undefined) return false;
  return true;
}

function sumPack({ sums }: Pack): LedgerSums {
  return {
    calls: sumOf(sums.calls),
    failedCalls: sumOf(sums.failedCalls),
    promptTokens: sumOf(sums.promptTokens),
    completionTokens: sumOf(sums.completionTokens),
    chargedMillicredits: sumOf(sums.chargedMillicredits),
  };
}

/** A value that is no number makes the total NaN, which is the same as no sum: the set is then taken for wrong. */
function sumOf(values: readonly (number | null)[]): number {
  let total = 0;
  for (const value of values) total += Number(value);
  return total;
}
