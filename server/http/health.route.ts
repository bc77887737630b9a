import type { Request, Response } from 'express';

/** What the last look at the ledger found. */
interface LedgerAudit {
  /** null before the first look. */
  readonly verifiedAtMs: number | null;
  readonly violations: number | null;
}

/**
 * `GET /healthz`: 200 while the database answers, else 503. A ledger that does not add up is said, and is still 200: its
 * broken wallets are frozen, and everybody else must be served. For load balancers and people; says nothing about anybody.
 * @param checkDatabase Resolves when the database has answered a query.
 */
export function createHealthRoute(checkDatabase: () => Promise<unknown>, findAudit: () => LedgerAudit) {
  return async (_request: Request, response: Response): Promise<void> => {
    const isDatabaseUp = await checkDatabase().then(
      () => true,
      () => false,
    );
    const { verifiedAtMs, violations } = findAudit();
    const upStatus = (violations ?? 0) > 0 ? 'degraded' : 'ok';
    response
      .status(isDatabaseUp ? 200 : 503)
      .set('cache-control', 'no-store')
      .json({
        status: isDatabaseUp ? upStatus : 'unavailable',
        database: isDatabaseUp ? 'up' : 'down',
        ledger: { verifiedAt: verifiedAtMs === null ? null : new Date(verifiedAtMs).toISOString(), violations },
      });
  };
}
