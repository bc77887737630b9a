import type { Pack, PackedColumn, PackedSet } from './packed-parts.js';
import { areSame, type LedgerSums } from './usage-sums.js';

/**
 * Parts as they are added up: values as numbers, which are the same in all packs of one summer or memory, and the sums of one part after
 * the other. Two pieces of memory for each pack, where lists of texts and figures would be copied by the garbage collector.
 */
export interface NumberedPack {
  readonly count: number;
  readonly columns: ReadonlyMap<string, Uint32Array>;
  /** `sumsPerPart` of each part, as `toSumsOfParts` orders them. */
  readonly sums: Float64Array;
}

export const sumsPerPart = 8;

/** Numbers for texts: the same text has the same one each time. */
export class ValueNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #values: string[] = [];

  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  /** undefined: no part has this text. */
  find(value: string): number | undefined {
    return this.#numbers.get(value);
  }

  valueOf(number: number): string {
    return this.#values[number] as string;
  }
}

/** By which a set is known: its parts never change under its id. */
type SetName = Pick<PackedSet, 'id' | 'sums'>;

/** So many parts take some 20 MB; their values are kept beside them, each once. */
const partsMax = 200_000;

/** The packs of sets that were sound, as numbers, until there are as many as it has room for. */
class KeptPacks {
  readonly numbers = new ValueNumbers();
  readonly #sets = new Map<string, { readonly sums: LedgerSums; readonly packs: readonly NumberedPack[] }>();
  #partsLeft = partsMax;
  #isFull = false;

  /** Whether one was not kept, since there is no room. */
  get isFull(): boolean {
    return this.#isFull;
  }

  find({ id, sums }: SetName): readonly NumberedPack[] | null {
    const kept = this.#sets.get(id);
    return kept !== undefined && areSame(kept.sums, sums) ? kept.packs : null;
  }

  keep({ id, sums }: SetName, packs: readonly NumberedPack[]): void {
    if (this.#sets.has(id)) return;
    const parts = packs.reduce((sum, { count }) => sum + count, 0);
    this.#isFull ||= parts > this.#partsLeft;
    if (parts > this.#partsLeft) return;
    this.#sets.set(id, { sums, packs });
    this.#partsLeft -= parts;
  }
}

/** Keeps packs from one question to the next: who looks at some time asks of it again, divided in another way. */
export class SharedPacks {
  #packs = new KeptPacks();

  /** For one question, which goes on with the same ones when others begin anew because they are full. */
  forQuestion(): PackMemory {
    if (this.#packs.isFull) this.#packs = new KeptPacks();
    return new PackMemory(this.#packs);
  }
}

/** Of one question that adds the same sets up in several ways: to read them is most of the time, so what was read is kept. */
export class PackMemory {
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(readonly packs = new KeptPacks()) {}

  /** What was answered under this name before; else it is asked for. */
  once<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(name) ?? ask();
    this.#answers.set(name, known);
    return known as Promise<Answer>;
  }
}

export function numberPacks(packs: readonly Pack[], numbers: ValueNumbers): NumberedPack[] {
  return packs.map((pack) => toNumbered(pack, numbers));
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
