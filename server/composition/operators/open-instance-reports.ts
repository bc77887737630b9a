import type { InstanceReport, TrafficCounts } from '../../instances/instance-report.js';
import { InstanceReporter } from '../../instances/instance-reports.js';
import { TrafficWindow } from '../../instances/traffic-window.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { Metric } from '../../kernel/metrics/metric.js';
import { productVersion } from '../../kernel/settings/product-version.js';
import type { Core } from '../create-core.js';
import type { OpenedMetrics } from '../open-metrics.js';

interface Running {
  readonly calls: number;
  readonly streams: number;
  readonly connections: number;
}

const noLeases = { leaseCount: 0, leasedMillicredits: 0, reservedMillicredits: 0 };
/** How calls end that nobody's doing but ours, or the provider's, kept from a whole answer. */
const failedOutcomes = ['interrupted', 'failed', 'expired'].map((outcome) => `outcome="${outcome}"`);

/** Starts to tell operators of this process. @returns what ends it. */
export function openInstanceReports(
  core: Core,
  { clock, logger, metrics, listRunning }: ReportParts,
): Pick<InstanceReporter, 'close'> {
  const { instance: id, unitOfWork } = core;
  const reporter = new InstanceReporter({ id, unitOfWork, clock, logger });
  const readCounts = () => countTraffic([...metrics.listCounters(), ...core.ledger.activity.commits.list(0)]);
  const traffic = new TrafficWindow(performance.now(), readCounts());
  const startedAtMs = Math.round(performance.timeOrigin);
  reporter.start((): InstanceReport => {
    const { calls: callsRunning, streams: streamsOpen, connections } = listRunning();
    const { leaseCount: count, leasedMillicredits, reservedMillicredits } = core.ledger.leases?.standing ?? noLeases;
    return {
      version: productVersion,
      startedAtMs,
      callsRunning,
      streamsOpen,
      connections,
      lastMinute: traffic.add(performance.now(), readCounts()),
      auditFailingSinceMs: core.auditor.audit.failingSinceMs,
      queuedOperations: core.ledger.queuedCount,
      leases: { count, leasedMillicredits, reservedMillicredits },
      jobs: Object.entries(core.jobs).flatMap(([name, job]) => (job ? [{ name, lastDoneAtMs: job.lastDoneAtMs }] : [])),
    };
  });
  return reporter;
}

interface ReportParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OpenedMetrics;
  readonly listRunning: () => Running;
}

function countTraffic(metrics: readonly Metric[]): TrafficCounts {
  const sum = (wanted: string, has: (labels: string) => boolean = () => true) =>
    metrics.reduce(
      (total, { name, labels = '', value }) => (name === wanted && has(labels) ? total + value : total),
      0,
    );
  return {
    calls: sum('tollgate_calls_total'),
    failedCalls: sum('tollgate_calls_total', (labels) => failedOutcomes.some((outcome) => labels.includes(outcome))),
    refusals: sum('tollgate_refusals_total'),
    tokens: sum('tollgate_tokens_total'),
    commits: sum('tollgate_ledger_batch_operations_count'),
    operations: sum('tollgate_ledger_batch_operations_sum'),
  };
}
