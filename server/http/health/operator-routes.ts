import type { Metric } from '../../kernel/metrics/metric.js';
import type { Secret } from '../../kernel/secret.js';
import { createHealthRoute, createReadyRoute, type HealthReport } from './health.route.js';
import { joinHealth } from './health-of-workers.js';
import { createMetricsApp, createMetricsRoute } from './metrics.route.js';

/** The other workers of this server. */
export interface Fellows {
  readonly pid: number;
  reportWith(kind: 'metrics' | 'health', report: () => Promise<unknown>): void;
  collect(kind: 'health'): Promise<{
    readonly wanted: number;
    readonly reports: readonly { readonly pid: number; readonly report: unknown }[];
  } | null>;
  listMetrics(listOwn: () => Promise<readonly Metric[]>): Promise<readonly Metric[]>;
}

export interface OperatorRoutesParts {
  readonly metricsToken: Secret | null;
  readonly listMetrics: () => Promise<readonly Metric[]>;
  readonly examine: () => Promise<HealthReport>;
  readonly isStopping: () => boolean;
  /** null: this process is the whole server. */
  readonly fellows: Fellows | null;
}

/** `/healthz`, `/readyz` and `/metrics`, and the metrics for a port of their own: of several workers, whichever is asked answers for all. */
export function createOperatorRoutes({ metricsToken, listMetrics, examine, isStopping, fellows }: OperatorRoutesParts) {
  fellows?.reportWith('metrics', listMetrics);
  fellows?.reportWith('health', examine);
  const health = createHealthRoute(fellows === null ? examine : () => examineAll(fellows, examine));
  const listAll = fellows === null ? listMetrics : () => fellows.listMetrics(listMetrics);
  return {
    routes: { health, ready: createReadyRoute(health, isStopping), metrics: createMetricsRoute(metricsToken, listAll) },
    metricsApp: createMetricsApp(metricsToken, listAll),
  };
}

async function examineAll(fellows: Fellows, examine: () => Promise<HealthReport>): Promise<HealthReport> {
  const [own, collection] = await Promise.all([examine(), fellows.collect('health')]);
  if (collection === null) return joinHealth(own, null);
  const others = collection.reports.filter(({ pid }) => pid !== fellows.pid);
  return joinHealth(own, {
    wanted: collection.wanted,
    reports: others.map(({ report }) => report as HealthReport),
  });
}
