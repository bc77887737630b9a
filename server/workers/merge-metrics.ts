import type { Metric } from '../kernel/metrics/metric.js';

/**
 * The figures of several processes as those of one: sums, or the highest or lowest where that is what a figure means. Figures
 * with other labels are other figures; the buckets of histograms add up.
 * @param past Figures of processes that are silent or have ended: their counters still count, or a sum would fall; their gauges
 *   say nothing any more.
 */
export function mergeMetrics(reports: readonly (readonly Metric[])[], past: readonly (readonly Metric[])[]): Metric[] {
  const merged = new Map<string, Metric>();
  const counters = past.map((metrics) => metrics.filter(({ kind }) => kind !== 'gauge'));
  for (const metric of [...reports, ...counters].flat()) {
    const key = `${metric.name}{${metric.labels ?? ''}}`;
    const found = merged.get(key);
    merged.set(key, found === undefined ? metric : { ...found, value: join(found, metric) });
  }
  return [...merged.values()];
}

function join({ value, ofSeveral }: Metric, other: Metric): number {
  if (ofSeveral === 'max') return Math.max(value, other.value);
  if (ofSeveral === 'min') return Math.min(value, other.value);
  return value + other.value;
}
