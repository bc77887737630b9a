import type { HealthReport } from './health.route.js';

/** What several workers say about their health. */
export interface WorkersHealth {
  readonly wanted: number;
  readonly reports: readonly HealthReport[];
}

/**
 * The health of a server of several processes, one of which was asked: calls are taken where all that answer take them, since
 * whoever calls meets any of them. One that is missing or says nothing makes it degraded: it is being replaced, or stands still.
 */
export function joinHealth(own: HealthReport, fellows: WorkersHealth | null): HealthReport {
  const reports = [own, ...(fellows?.reports ?? [])];
  const worst = reports.find(({ isUp }) => !isUp) ?? own;
  const isWhole = fellows !== null && reports.length >= fellows.wanted;
  const isDegraded = !isWhole || reports.some(({ body }) => body.status === 'degraded');
  const violations = reports.map(({ body }) => body.ledger.violations).filter((found) => found !== null);
  const kept = reports.map(({ body }) => body.settlements.kept).filter((count) => count !== null);
  const oldest = reports.map(({ body }) => body.settlements.oldestKeptAt).filter((at) => at !== null);
  const failing = reports.map(({ body }) => body.ledger.auditFailingSince).filter((since) => since !== undefined);
  const [auditFailingSince] = failing.sort();
  const upStatus = isDegraded ? 'degraded' : 'ok';
  const body = {
    ...worst.body,
    status: worst.isUp ? upStatus : 'unavailable',
    ledger: {
      ...worst.body.ledger,
      violations: violations.length > 0 ? Math.max(...violations) : null,
      ...(auditFailingSince === undefined ? {} : { auditFailingSince }),
    },
    settlements: {
      ...worst.body.settlements,
      kept: kept.length > 0 ? kept.reduce((sum, count) => sum + count, 0) : null,
      oldestKeptAt: oldest.sort()[0] ?? null,
    },
    workers: { wanted: fellows?.wanted ?? null, answering: reports.length },
  } as const;
  return { isUp: worst.isUp, body };
}
