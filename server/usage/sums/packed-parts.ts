import { areSame, type LedgerSums, noUse, type SumsSoFar, sumLedgerSums, type UsageSums } from './usage-sums.js';

/** A part of a set: what it is divided by, under the names of the columns of receipts, and its sums. */
export type PartRow = Readonly<Record<string, unknown>>;

/** Parts by columns: what they are divided by as places in a list of the values that occur, sums as they are. */
interface Pack {
  readonly columns: Readonly<Record<string, { readonly values: readonly string[]; readonly at: readonly number[] }>>;
  readonly sums: Readonly<Record<PackedSum, readonly (number | null)[]>>;
}

/** `toldCalls` is not kept: a part has cached and reasoning tokens of all its calls, or null for both. */
type PackedSum = Exclude<keyof UsageSums, 'toldCalls'>;

const packedSums: readonly PackedSum[] = [
  ...(['calls', 'failedCalls', 'promptTokens', 'completionTokens'] as const),
  ...(['chargedMillicredits', 'cachedTokens', 'reasoningTokens'] as const),
];

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

export interface PackSumsWanted {
  readonly columns: readonly string[];
  readonly filter: Readonly<Record<string, readonly string[]>>;
}

interface Group {
  readonly hourMs: number;
  readonly values: readonly string[];
  readonly sums: SumsSoFar;
}

type Column = Pack['columns'][string];

/** More values than all parts of the years that are kept can have; two of them fit into one whole number. */
const valuesMax = 2 ** 26;

/**
 * Keeps the packs of sets that were sound, and what the ledger's hours say, for who adds the same ones up in several ways: to read them is
 * most of the time. The parts of a set never change under its id. It keeps 200,000 parts, some 20 MB, and is meant for one question.
 */
export class PackMemory {
  readonly #packs = new Map<string, readonly Pack[]>();
  readonly #hours = new Map<string, Promise<ReadonlyMap<number, UsageSums>>>();
  #roomForParts = 200_000;

  /** What was read under this name before; else it is read. */
  findHours(name: string, read: () => Promise<ReadonlyMap<number, UsageSums>>) {
    const known = this.#hours.get(name) ?? read();
    this.#hours.set(name, known);
    return known;
  }

  find(setId: string): readonly Pack[] | null {
    return this.#packs.get(setId) ?? null;
  }

  keep(setId: string, packs: readonly Pack[]): void {
    const parts = packs.reduce((count, { sums }) => count + sums.calls.length, 0);
    if (this.#packs.has(setId) || parts > this.#roomForParts) return;
    this.#packs.set(setId, packs);
    this.#roomForParts -= parts;
  }
}

/** A set as it is kept: what it comes to, and its parts as `packParts` writes them. */
export interface PackedSet {
  readonly id: string;
  readonly sums: LedgerSums;
  readonly packs: readonly string[];
}

/** Adds up packed parts, which takes a fraction of the time that either database needs to group as many rows. */
export class PackSummer {
  /** By time, then by the numbers of their values. */
  readonly #groups = new Map<number, Map<number, Group>>();
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new Map<number, number>();

  constructor(
    private readonly wanted: PackSumsWanted,
    private readonly memory?: PackMemory,
  ) {}

  /**
   * @param hourMs When the time begins that the parts are of; parts of one time are one group where all columns are alike.
   * @returns false where the packs do not come to what the set does; nothing is added then.
   */
  addSet({ id, sums, packs: texts }: PackedSet, hourMs: number): boolean {
    const packs = this.memory?.find(id) ?? readSound(texts, sums);
    if (packs === null) return false;
    this.memory?.keep(id, packs);
    const needed = [...this.wanted.columns, ...Object.keys(this.wanted.filter)];
    if (!packs.every(({ columns }) => needed.every((name) => columns[name] !== undefined))) return false;
    for (const pack of packs) this.#add(pack, hourMs);
    return true;
  }

  #add(pack: Pack, hourMs: number): void {
    const { calls, failedCalls, promptTokens, completionTokens, chargedMillicredits } = pack.sums;
    const { cachedTokens, reasoningTokens } = pack.sums;
    const find = this.#toGroupOfPart(pack, hourMs);
    for (let part = 0; part < calls.length; part += 1) {
      const sums = find(part)?.sums;
      if (sums === undefined) continue;
      sums.calls += calls[part] ?? 0;
      sums.failedCalls += failedCalls[part] ?? 0;
      sums.promptTokens += promptTokens[part] ?? 0;
      sums.completionTokens += completionTokens[part] ?? 0;
      sums.chargedMillicredits += chargedMillicredits[part] ?? 0;
      if (cachedTokens[part] !== null) sums.toldCalls += calls[part] ?? 0;
      sums.cachedTokens += cachedTokens[part] ?? 0;
      sums.reasoningTokens += reasoningTokens[part] ?? 0;
    }
  }

  /** The groups as `sumReceipts` answers its rows. */
  list(): PartRow[] {
    const groups = [...this.#groups.values()].flatMap((ofTime) => [...ofTime.values()]);
    return groups.map(({ hourMs, values, sums }) => {
      const row: Record<string, unknown> = { hourMs, ...sums };
      for (const [at, column] of this.wanted.columns.entries()) row[column] = values[at];
      return row;
    });
  }

  /** The group of each part by its place; undefined: the filter leaves it out. Values are compared as texts once for each pack, not for each part. */
  #toGroupOfPart({ columns }: Pack, hourMs: number): (part: number) => Group | undefined {
    const filtered = Object.entries(this.wanted.filter).map(([column, wanted]) => {
      const { values, at } = columnOf(columns, column);
      return { at, isWanted: values.map((value) => wanted.includes(value)) };
    });
    const divided = this.wanted.columns.map((name) => {
      const column = columnOf(columns, name);
      return { ...column, numbers: column.values.map((value) => numberOf(this.#numbers, value)) };
    });
    const groups = this.#groups.get(hourMs) ?? new Map<number, Group>();
    this.#groups.set(hourMs, groups);
    // Loops by place, since this is asked of each part of a report.
    return (part) => {
      for (let of = 0; of < filtered.length; of += 1) {
        const { at, isWanted } = filtered[of] as (typeof filtered)[number];
        if (!isWanted[at[part] as number]) return undefined;
      }
      let name = 0;
      for (let place = 0; place < divided.length; place += 1) {
        const { at, numbers } = divided[place] as (typeof divided)[number];
        const before = place < 2 ? name : numberOf(this.#pairs, name);
        name = before * valuesMax + (numbers[at[part] as number] as number);
      }
      const known = groups.get(name);
      if (known !== undefined) return known;
      const values = divided.map((column) => column.values[column.at[part] as number] as string);
      const group = { hourMs, values, sums: { ...noUse } };
      groups.set(name, group);
      return group;
    };
  }
}

/** What the parts of these texts come to; null where `packParts` did not write one. */
export function sumTexts(texts: readonly string[]): LedgerSums | null {
  const packs = readTexts(texts);
  return packs && sumLedgerSums(packs.map(sumPack));
}

/** null where `packParts` did not write one of them, and where they do not come to these sums. */
function readSound(texts: readonly string[], sums: LedgerSums): readonly Pack[] | null {
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
function isColumn({ values, at }: Column, count: number): boolean {
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

/** The number of a name: the same each time, another for each name. */
function numberOf<Name>(numbers: Map<Name, number>, name: Name): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

function columnOf(columns: Pack['columns'], name: string): Column {
  const column = columns[name];
  if (column === undefined) throw new Error(`A set is not divided by ${name}.`);
  return column;
}
