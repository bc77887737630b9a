import type { Request, RequestHandler, Response } from 'express';
import { type Clock, systemClock } from '../../kernel/clock.js';

/** What the last look at the ledger found. */
interface LedgerAudit {
  /** null before the first look. */
  readonly verifiedAtMs: number | null;
  readonly violations: number | null;
  /** Since when no look could be had; null: the last one could. */
  readonly failingSinceMs: number | null;
}

/** A look that fails once may have met a database that was away; one that has failed for this long tells a person. */
const failingMsMax = 600_000;

/** What waits on this machine's disk to be booked, whether there is room for more, and whether the database takes it. */
interface SettlementStanding {
  readonly keptCount: number;
  readonly oldestKeptAtMs: number | null;
  readonly quarantinedCount: number;
  readonly damagedFileCount: number;
  readonly room: { readonly isReady: boolean; readonly reason: string | null };
  /** How long nothing could be booked; null: it can, as far as is known. */
  readonly commitsFailingMs: number | null;
}

/** What `GET /healthz` answers. */
export interface HealthReport {
  readonly isUp: boolean;
  readonly body: {
    readonly status: 'ok' | 'degraded' | 'unavailable';
    readonly database: 'up' | 'down';
    readonly ledger: {
      readonly verifiedAt: string | null;
      readonly violations: number | null;
      /** Only where no look at the ledger could be had for ten minutes or longer: since when. */
      readonly auditFailingSince?: string;
      /** Only where the database takes nothing of what this process books, although it answers: since when. */
      readonly commitsFailingSince?: string;
    };
    readonly settlements: {
      readonly kept: number | null;
      readonly oldestKeptAt: string | null;
      readonly quarantined: number | null;
      readonly damagedFiles: number | null;
      readonly room: 'ready' | 'missing';
      readonly roomMissingFor: string | null;
    };
    /** With several workers: how many there are to be, and how many said something. */
    readonly workers?: { readonly wanted: number | null; readonly answering: number };
  };
}

/**
 * Looks whether this process takes calls.
 * @param checkDatabase Resolves when the database has answered a query.
 */
export async function examineHealth(
  checkDatabase: () => Promise<unknown>,
  findAudit: () => LedgerAudit,
  findStanding: () => Promise<SettlementStanding>,
  clock: Clock = systemClock,
): Promise<HealthReport> {
  const isDatabaseUp = await checkDatabase().then(
    () => true,
    () => false,
  );
  const { verifiedAtMs, violations, failingSinceMs } = findAudit();
  const isAuditFailing = failingSinceMs !== null && clock.nowMs() - failingSinceMs >= failingMsMax;
  // A disk that cannot even be listed has no room.
  const standing = await findStanding().catch(() => null);
  const isRoomReady = standing?.room.isReady === true;
  const commitsFailingMs = standing?.commitsFailingMs ?? null;
  const isUp = isDatabaseUp && isRoomReady && commitsFailingMs === null;
  const waiting = (standing?.keptCount ?? 0) + (standing?.quarantinedCount ?? 0) + (standing?.damagedFileCount ?? 0);
  const upStatus = (violations ?? 0) > 0 || isAuditFailing || waiting > 0 ? 'degraded' : 'ok';
  const body = {
    status: isUp ? upStatus : 'unavailable',
    database: isDatabaseUp ? 'up' : 'down',
    ledger: {
      verifiedAt: toIso(verifiedAtMs),
      violations,
      ...(isAuditFailing ? { auditFailingSince: new Date(failingSinceMs).toISOString() } : {}),
      ...(commitsFailingMs === null
        ? {}
        : { commitsFailingSince: new Date(clock.nowMs() - commitsFailingMs).toISOString() }),
    },
    settlements: {
      kept: standing?.keptCount ?? null,
      oldestKeptAt: toIso(standing?.oldestKeptAtMs ?? null),
      quarantined: standing?.quarantinedCount ?? null,
      damagedFiles: standing?.damagedFileCount ?? null,
      room: isRoomReady ? 'ready' : 'missing',
      roomMissingFor: isRoomReady ? null : (standing?.room.reason ?? 'unknown'),
    },
  } as const;
  return { isUp, body };
}

/**
 * `GET /healthz`: 200 while calls are taken, else 503: the database does not answer or books nothing, or the disk has no room for
 * the settlements of more calls. What a person has to look at makes it `degraded`, and is still 200: a ledger that does not add up, whose broken
 * wallets are frozen, or that could not be looked at for ten minutes, or settlements that wait or were refused; everybody else must be served. For load balancers and people;
 * says nothing about anybody.
 */
export function createHealthRoute(examine: () => Promise<HealthReport>) {
  return async (_request: Request, response: Response): Promise<void> => {
    const { isUp, body } = await examine();
    response
      .status(isUp ? 200 : 503)
      .set('cache-control', 'no-store')
      .json(body);
  };
}

/**
 * `GET /readyz`: what `GET /healthz` says, and 503 from the moment that the server was told to stop: a load balancer that asks
 * here sends it nothing more, while it still answers what arrives until then.
 */
export function createReadyRoute(health: RequestHandler, isStopping: () => boolean): RequestHandler {
  return (request, response, next) => {
    if (isStopping()) {
      response.status(503).set({ 'cache-control': 'no-store', connection: 'close' }).json({ status: 'stopping' });
    } else health(request, response, next);
  };
}

/** `GET /livez`: 200 while the process answers at all. Whoever restarts what does not answer asks here, and never the others. */
export const liveRoute: RequestHandler = (_request, response) => {
  response.set('cache-control', 'no-store').json({ status: 'alive' });
};

function toIso(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}
