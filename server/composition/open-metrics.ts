import { listPoolMetrics } from '../database/pool/pool-metrics.js';
import { RequestMetrics } from '../http/health/request-metrics.js';
import type { Clock } from '../kernel/clock.js';
import { listJobTimes } from '../kernel/jobs/job-times.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { TroubleCounter } from '../kernel/metrics/trouble-counter.js';
import { listLedgerMetrics } from '../ledger/ledger-metrics.js';
import { listNoticeMetrics } from '../notices/notice-metrics.js';
import { CallMetrics } from '../proxy/call-metrics.js';
import { listPurchaseMetrics } from '../purchases/purchase-metrics.js';
import { ProcessMetrics } from '../workers/process-metrics.js';
import type { Core } from './create-core.js';

/** What is under way at this moment, as whoever counts it knows. */
interface Running {
  readonly calls: number;
  readonly streams: number;
  readonly connections: number;
  readonly bodyBytes: number;
}

/** A part of the server that has figures of its own. */
interface Measured {
  listMetrics(): readonly Metric[];
}

/** All figures of this process for its operator. `docs/operations/watching.md` has a row for each that is worth an alarm. */
export function openMetrics(
  core: Core,
  { clock, troubles }: { readonly clock: Clock; readonly troubles: TroubleCounter },
) {
  const requests = new RequestMetrics();
  const calls = new CallMetrics(core.catalogue);
  const ofProcess = new ProcessMetrics();
  ofProcess.start();
  const list = async (running: Running, others: readonly Measured[]): Promise<readonly Metric[]> => {
    const stored = await Promise.all([
      listLedgerMetrics(core.ledger, core.auditor, core.unitOfWork),
      listPurchaseMetrics(core.unitOfWork, core.purchases.notices),
      listNoticeMetrics(core.unitOfWork, clock),
    ]);
    return [
      ...stored.flat(),
      ...(core.replica?.listMetrics() ?? []),
      ...others.flatMap((other) => other.listMetrics()),
      ...requests.list(),
      ...calls.list(core.resolverServices.health),
      ...core.sender.listMetrics(),
      ...listRunning(running),
      ...listPoolMetrics(core.source, 'primary'),
      ...listUpstream(core),
      ...(core.redis?.listMetrics() ?? []),
      ...listJobTimes(core.jobs),
      ...troubles.list(),
      ...ofProcess.list(),
    ];
  };
  /** The counters among them that cost no look at the database. */
  const listCounters = () => [...requests.list(), ...calls.list(core.resolverServices.health)];
  return { requests, calls, list, listCounters, close: () => ofProcess.close() };
}

export type OpenedMetrics = ReturnType<typeof openMetrics>;

function listRunning({ calls, streams, connections, bodyBytes }: Running): Metric[] {
  const gauge = (name: string, help: string, value: number): Metric => ({ name, help, kind: 'gauge', value });
  return [
    gauge('tollgate_calls_running', 'Calls under way, streams included.', calls),
    gauge('tollgate_streams_open', 'Answers that are being streamed.', streams),
    gauge('tollgate_connections', 'Connections of callers and browsers.', connections),
    gauge('tollgate_body_bytes', 'Bytes of request bodies that are held now; BODY_MEMORY_MB bounds them.', bodyBytes),
  ];
}

function listUpstream({ upstream }: Core): Metric[] {
  const { connections, waiting } = upstream.countConnections();
  const gauge = (name: string, help: string, value: number): Metric => ({ name, help, kind: 'gauge', value });
  return [
    gauge('tollgate_upstream_connections', 'Connections to providers, used or not.', connections),
    gauge('tollgate_upstream_waiting', 'Calls that wait for one of the UPSTREAM_CONNECTIONS to be free.', waiting),
  ];
}
