import { type NumberedPack, numberPacks, type PackMemory, sumsPerPart, ValueNumbers } from './pack-memory.js';
import { type PackedSet, type PartRow, readSound } from './packed-parts.js';
import { type LedgerSums, noUse, type SumsSoFar } from './usage-sums.js';

export interface PackSumsWanted {
  readonly columns: readonly string[];
  readonly filter: Readonly<Record<string, readonly string[]>>;
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
    this.#numbers = memory?.packs.numbers ?? new ValueNumbers();
  }

  /**
   * @param hourMs When the time begins that the parts are of; parts of one time are one group where all columns are alike.
   * @returns false where the packs do not come to what the set does; nothing is added then.
   */
  addSet({ id, sums, packs: texts }: PackedSet, hourMs: number): boolean {
    const packs = this.memory?.packs.find({ id, sums }) ?? this.#read(texts, sums);
    if (packs === null) return false;
    this.memory?.packs.keep({ id, sums }, packs);
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
    const packs = readSound(texts, sums);
    return packs && numberPacks(packs, this.#numbers);
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
      // Only looked up: what callers ask for would otherwise stay in the memory that questions share.
      const wanted = new Set(values.map((value) => this.#numbers.find(value)));
      return { of: columns.get(name) as Uint32Array, wanted };
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
