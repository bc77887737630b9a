import { type Label, LabelledSeries } from './labelled-series.js';
import type { Metric } from './metric.js';

/** Seconds of an answer: from what a cache answers to what takes the whole of a call's time. */
export const answerSeconds: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
/** Seconds of a commit. */
export const commitSeconds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Tokens in a second of one stream. */
export const tokenSpeeds: readonly number[] = [1, 5, 10, 20, 40, 60, 80, 100, 150, 200, 400, 800];

interface Series {
  /** How many were at most each bound and above the one before; the last one: above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** How figures are spread, one spread for each combination of labels. */
export class LabelledHistogram {
  readonly #series: LabelledSeries<Series>;

  /** @param bounds Upper bounds of the buckets, growing. */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
    labels: readonly Label[],
  ) {
    this.#series = new LabelledSeries(labels, () => ({ counts: [...bounds, 0].map(() => 0), sum: 0 }));
  }

  /** @param values One for each label, in their order. @param figure In the unit of the name; below 0 it counts as 0. */
  observe(values: readonly string[], figure: number): void {
    const series = this.#series.find(values);
    let index = 0;
    while (index < this.bounds.length && figure > (this.bounds[index] as number)) index += 1;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += Math.max(0, figure);
  }

  list(): Metric[] {
    return [...this.#series.list()].flatMap(([labels, series]) => this.#listSeries(labels, series));
  }

  #listSeries(labels: string, { counts, sum }: Series): Metric[] {
    const { name: family, help } = this;
    const sample = (suffix: string, value: number, ownLabels: string): Metric => ({
      name: `${family}_${suffix}`,
      family,
      help,
      kind: 'histogram',
      value,
      labels: ownLabels,
    });
    const prefix = labels === '' ? '' : `${labels},`;
    let below = 0;
    const buckets = counts.map((count, index) => {
      below += count;
      return sample('bucket', below, `${prefix}le="${this.bounds[index] ?? '+Inf'}"`);
    });
    return [...buckets, sample('sum', sum, labels), sample('count', below, labels)];
  }
}
