import { type Pack, type PackedColumn, type PartRow, readSound } from './packed-parts.js';
import { type LedgerSums, noUse, type SumsSoFar } from './usage-sums.js';

export interface PackSumsWanted {
  readonly columns: readonly string[];
  readonly filter: Readonly<Record<string, readonly string[]>>;
}

/** A set as it is kept: what it comes to, and its parts as `packParts` writes them. */
export interface PackedSet {
  readonly id: string;
  readonly sums: LedgerSums;
  readonly packs: readonly string[];
}

/** One that begins at this time. */
export interface SetInTime extends PackedSet {
  readonly startMs: number;
}

/**
 * Parts as they are added up: values as numbers, which are the same in all packs of one summer or memory, and the sums of one part after
 * the other. Two pieces of memory for each pack, where lists of texts and figures would be copied by the garbage collector.
 */
interface NumberedPack {
  readonly count: number;
  readonly columns: ReadonlyMap<string, Uint32Array>;
  /** `sumsPerPart` of each part, as `toSumsOfParts` orders them. */
  readonly sums: Float64Array;
}

const sumsPerPart = 8;

/** Numbers for texts: the same text has the same one each time. */
class ValueNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #values: string[] = [];

  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  valueOf(number: number): string {
    return this.#values[number] as string;
  }
}

/**
 * Keeps what was read for who adds the same sets up in several ways: to read them is most of the time. The parts of a set never change
 * under its id. It keeps 200,000 parts, some 20 MB, and is meant for one question.
 */
export class PackMemory {
  readonly numbers = new ValueNumbers();
  readonly #answers = new Map<string, Promise<unknown>>();
  readonly #packs = new Map<string, readonly NumberedPack[]>();
  readonly #sets = new Map<string, readonly SetInTime[]>();
  #roomForParts = 200_000;

  /** What was answered under this name before; else it is asked for. @param name Of one question alone. */
  once<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(name) ?? ask();
    this.#answers.set(name, known);
    return known as Promise<Answer>;
  }

  find(setId: string): readonly NumberedPack[] | null {
    return this.#packs.get(setId) ?? null;
  }

  keep(setId: string, packs: readonly NumberedPack[]): void {
    const parts = packs.reduce((sum, { count }) => sum + count, 0);
    if (this.#packs.has(setId) || parts > this.#roomForParts) return;
    this.#packs.set(setId, packs);
    this.#roomForParts -= parts;
  }

  /** The sets that were kept under this name; null: there are none. */
  findSets(name: string): readonly SetInTime[] | null {
    return this.#sets.get(name) ?? null;
  }

  /** Keeps sets without their texts, if the packs of all of them are kept. */
  keepSets(name: string, sets: readonly SetInTime[]): void {
    if (sets.every(({ id }) => this.#packs.has(id)))
      this.#sets.set(
        name,
        sets.map((set) => ({ ...set, packs: [] })),
      );
  }
}

interface Group {
  readonly hourMs: number;
  readonly values: readonly string[];
  readonly sums: SumsSoFar;
}

/** More values than all parts of the years that are kept can have; two of them fit into one whole number. */
const valuesMax = 2 ** 26;

/** Adds up packed parts, which takes a fraction of the time that either database needs to group as many rows. */
export class PackSummer {
  /** By time, then by the numbers of their values. */
  readonly #groups = new Map<number, Map<number, Group>>();
  readonly #numbers: ValueNumbers;
  readonly #pairs = new Map<number, number>();

  constructor(
    private readonly wanted: PackSumsWanted,
    private readonly memory?: PackMemory,
  ) {
    this.#numbers = memory?.numbers ?? new ValueNumbers();
  }

  /**
   * @param hourMs When the time begins that the parts are of; parts of one time are one group where all columns are alike.
   * @returns false where the packs do not come to what the set does; nothing is added then.
   */
  addSet({ id, sums, packs: texts }: PackedSet, hourMs: number): boolean {
    const packs = this.memory?.find(id) ?? this.#read(texts, sums);
    if (packs === null) return false;
    this.memory?.keep(id, packs);
    const needed = [...this.wanted.columns, ...Object.keys(this.wanted.filter)];
    if (!packs.every(({ columns }) => needed.every((name) => columns.has(name)))) return false;
    for (const pack of packs) this.#add(pack, hourMs);
    return true;
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

  #read(texts: readonly string[], sums: LedgerSums): readonly NumberedPack[] | null {
    return readSound(texts, sums)?.map((pack) => toNumbered(pack, this.#numbers)) ?? null;
  }

  #add(pack: NumberedPack, hourMs: number): void {
    const find = this.#toGroupOfPart(pack, hourMs);
    const sumAt = (at: number) => pack.sums[at] as number;
    for (let part = 0; part < pack.count; part += 1) {
      const sums = find(part)?.sums;
      if (sums === undefined) continue;
      const at = part * sumsPerPart;
      // One after the other by name: by a list of names this takes several times as long.
      sums.calls += sumAt(at);
      sums.failedCalls += sumAt(at + 1);
      sums.promptTokens += sumAt(at + 2);
      sums.completionTokens += sumAt(at + 3);
      sums.chargedMillicredits += sumAt(at + 4);
      sums.toldCalls += sumAt(at + 5);
      sums.cachedTokens += sumAt(at + 6);
      sums.reasoningTokens += sumAt(at + 7);
    }
  }

  /** The group of each part by its place; undefined: the filter leaves it out. */
  #toGroupOfPart({ columns }: NumberedPack, hourMs: number): (part: number) => Group | undefined {
    const filtered = Object.entries(this.wanted.filter).map(([name, values]) => {
      return {
        of: columns.get(name) as Uint32Array,
        wanted: new Set(values.map((value) => this.#numbers.numberOf(value))),
      };
    });
    const divided = this.wanted.columns.map((name) => columns.get(name) as Uint32Array);
    const groups = this.#groups.get(hourMs) ?? new Map<number, Group>();
    this.#groups.set(hourMs, groups);
    // Loops by place, since this is asked of each part of a report.
    return (part) => {
      for (let at = 0; at < filtered.length; at += 1) {
        const { of, wanted } = filtered[at] as (typeof filtered)[number];
        if (!wanted.has(of[part] as number)) return undefined;
      }
      let name = 0;
      for (let at = 0; at < divided.length; at += 1) {
        const before = at < 2 ? name : this.#pairOf(name);
        name = before * valuesMax + (divided[at]?.[part] as number);
      }
      const known = groups.get(name);
      if (known !== undefined) return known;
      const values = divided.map((of) => this.#numbers.valueOf(of[part] as number));
      const group = { hourMs, values, sums: { ...noUse } };
      groups.set(name, group);
      return group;
    };
  }

  /** A number for the numbers of two values, so that a third one fits beside it. */
  #pairOf(name: number): number {
    const known = this.#pairs.get(name) ?? this.#pairs.size;
    this.#pairs.set(name, known);
    return known;
  }
}

function toNumbered({ columns, sums }: Pack, numbers: ValueNumbers): NumberedPack {
  const numbered = Object.entries(columns).map(([name, column]) => [name, toNumbers(column, numbers)] as const);
  return { count: sums.calls.length, columns: new Map(numbered), sums: toSumsOfParts(sums) };
}

function toSumsOfParts({ calls, cachedTokens, reasoningTokens, ...sums }: Pack['sums']): Float64Array {
  const told = calls.map((count, part) => (cachedTokens[part] === null ? 0 : count));
  const { failedCalls, promptTokens, completionTokens, chargedMillicredits } = sums;
  const lists = [
    calls,
    failedCalls,
    promptTokens,
    completionTokens,
    chargedMillicredits,
    told,
    cachedTokens,
    reasoningTokens,
  ];
  const ofParts = new Float64Array(calls.length * sumsPerPart);
  for (const [at, list] of lists.entries()) {
    for (let part = 0; part < calls.length; part += 1) ofParts[part * sumsPerPart + at] = list[part] ?? 0;
  }
  return ofParts;
}

function toNumbers({ values, at }: PackedColumn, numbers: ValueNumbers): Uint32Array {
  const ofValues = values.map((value) => numbers.numberOf(value));
  const ofParts = new Uint32Array(at.length);
  for (let part = 0; part < at.length; part += 1) ofParts[part] = ofValues[at[part] as number] as number;
  return ofParts;
}
