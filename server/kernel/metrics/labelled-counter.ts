import { type Label, LabelledSeries } from './labelled-series.js';
import type { Metric } from './metric.js';

/** A figure that only grows, one for each combination of its labels. */
export class LabelledCounter {
  readonly #series: LabelledSeries<{ count: number }>;

  constructor(
    private readonly name: string,
    private readonly help: string,
    labels: readonly Label[],
  ) {
    this.#series = new LabelledSeries(labels, () => ({ count: 0 }));
  }

  /** @param values One for each label, in their order. @param amount 0 or more. */
  add(values: readonly string[], amount = 1): void {
    this.#series.find(values).count += amount;
  }

  /** One sample for each combination that was ever counted; a counter without labels has one from the start. */
  list(): Metric[] {
    const { name, help } = this;
    return [...this.#series.list()].map(([labels, { count: value }]) => ({
      name,
      help,
      kind: 'counter',
      value,
      labels,
    }));
  }
}
