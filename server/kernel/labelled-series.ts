import { writeLabels } from './metric.js';

/** What takes the place of a value that its label does not know. */
export const otherValue = 'other';

/** One label and every value that it may have; any other one is told as `other`. */
export interface Label {
  readonly name: string;
  readonly values: Iterable<string>;
}

/** Beyond it a combination is counted with `other` in the place of every value. */
const seriesMax = 2_000;

/**
 * The series of one family of figures, made as they are first needed. However many different values it is asked for, it keeps
 * at most 2,000 series and knows no value that is not in the lists: nobody who calls can make it grow.
 */
export class LabelledSeries<Value> {
  readonly #names: readonly string[];
  readonly #known: readonly ReadonlySet<string>[];
  readonly #series = new Map<string, { readonly labels: string; readonly value: Value }>();

  constructor(
    labels: readonly Label[],
    private readonly create: () => Value,
  ) {
    this.#names = labels.map(({ name }) => name);
    this.#known = labels.map(({ values }) => new Set(values));
  }

  /** @param values One for each label, in their order. */
  find(values: readonly string[]): Value {
    // The way of nearly every call: one look into one map.
    const found = this.#series.get(values.join('\n'));
    return found === undefined ? this.#findKnown(values) : found.value;
  }

  /** Each series with its labels as the text format writes them. */
  *list(): Iterable<readonly [labels: string, value: Value]> {
    for (const { labels, value } of this.#series.values()) yield [labels, value];
  }

  #findKnown(values: readonly string[]): Value {
    const known = this.#known.map((set, index) => {
      const value = values[index] ?? '';
      return set.has(value) ? value : otherValue;
    });
    const isFull = this.#series.size >= seriesMax && !this.#series.has(known.join('\n'));
    const kept = isFull ? known.map(() => otherValue) : known;
    const key = kept.join('\n');
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels: writeLabels(this.#names, kept), value: this.create() };
      this.#series.set(key, series);
    }
    return series.value;
  }
}
