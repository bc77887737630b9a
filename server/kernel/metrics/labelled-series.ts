import { writeLabels } from './metric.js';

/** What takes the place of a value that its label does not know. */
const otherValue = 'other';

/** One label and every value that it may have; any other one is told as `other`. */
export interface Label {
  readonly name: string;
  readonly values: Iterable<string> | KnownValues;
}

/** Values that come and go while the process runs. */
export interface KnownValues {
  has(value: string): boolean;
}

/** Beyond it a combination is counted with `other` in the place of every value. */
const seriesMax = 2_000;

interface Leaf<Value> {
  readonly value: Value;
}
interface Branch<Value> extends Map<string, Branch<Value> | Leaf<Value>> {}

/**
 * The series of one family of figures, made as they are first needed. However many different values it is asked for, it keeps
 * at most 2,000 series and knows no value that is not in the lists: nobody who calls can make it grow.
 */
export class LabelledSeries<Value> {
  readonly #names: readonly string[];
  readonly #known: readonly KnownValues[];
  /** By the value of the first label, then by that of the second, and so on: no call builds a key of its own. */
  readonly #first: Branch<Value> = new Map();
  readonly #series: { readonly labels: string; readonly value: Value }[] = [];

  constructor(
    labels: readonly Label[],
    private readonly create: () => Value,
  ) {
    this.#names = labels.map(({ name }) => name);
    this.#known = labels.map(({ values }) => ('has' in values ? values : new Set(values)));
  }

  /** @param values One for each label, in their order. */
  find(values: readonly string[]): Value {
    return this.#look(values)?.value ?? this.#findKnown(values);
  }

  /** Each series with its labels as the text format writes them. */
  *list(): Iterable<readonly [labels: string, value: Value]> {
    for (const { labels, value } of this.#series) yield [labels, value];
  }

  #look(values: readonly string[]): Leaf<Value> | undefined {
    let found: Branch<Value> | Leaf<Value> | undefined = this.#first.get(values[0] ?? '');
    for (let index = 1; index < values.length && found !== undefined; index += 1) {
      found = (found as Branch<Value>).get(values[index] as string);
    }
    return found as Leaf<Value> | undefined;
  }

  #findKnown(values: readonly string[]): Value {
    const known = this.#known.map((set, index) => {
      const value = values[index] ?? '';
      return set.has(value) ? value : otherValue;
    });
    const found = this.#look(known);
    if (found !== undefined) return found.value;
    const kept = this.#series.length >= seriesMax ? known.map(() => otherValue) : known;
    return (this.#look(kept) ?? this.#add(kept)).value;
  }

  #add(values: readonly string[]): Leaf<Value> {
    const leaf = { value: this.create() };
    this.#series.push({ labels: writeLabels(this.#names, values), value: leaf.value });
    let branch = this.#first;
    for (const value of values.slice(0, -1)) {
      const next = (branch.get(value) as Branch<Value> | undefined) ?? new Map();
      branch.set(value, next);
      branch = next;
    }
    branch.set(values.at(-1) ?? '', leaf);
    return leaf;
  }
}
