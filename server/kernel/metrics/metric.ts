/** One figure for an operator's monitoring: a sample of Prometheus' text format. */
export interface Metric {
  /** Ends in its unit, and in `_total` when it only grows. */
  readonly name: string;
  readonly help: string;
  readonly kind: MetricKind;
  readonly value: number;
  /** As the text format writes them, without the braces: `route="chat",status="200"`; left out: none. */
  readonly labels?: string;
  /** The histogram that a bucket, sum or count is part of; left out: the name. */
  readonly family?: string;
  /** What says it for several processes of one machine; left out: their sum. */
  readonly ofSeveral?: 'max' | 'min';
}

/** The samples of a histogram only grow, as counters do. */
export type MetricKind = 'gauge' | 'counter' | 'histogram';

/** Writes labels as the text format wants them: `model="a \"b\""`. */
export function writeLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',');
}

/** The whole text that `GET /metrics` answers: each family once with its help and its kind, its samples below. */
export function printMetrics(metrics: readonly Metric[]): string {
  const families = new Map<string, Metric[]>();
  for (const metric of metrics) {
    const family = metric.family ?? metric.name;
    const samples = families.get(family);
    if (samples) samples.push(metric);
    else families.set(family, [metric]);
  }
  return [...families]
    .map(([family, samples]) => {
      const { help, kind } = samples[0] as Metric;
      const lines = samples.map(({ name, labels, value }) => `${name}${labels ? `{${labels}}` : ''} ${value}\n`);
      return `# HELP ${family} ${help}\n# TYPE ${family} ${kind}\n${lines.join('')}`;
    })
    .join('');
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
