import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { SessionEntity } from './session.entity.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
export const sessionIdleMs = 7 * dayMs;
export const sessionLifetimeMs = 30 * dayMs;

/** Who is signed in, and by which session. */
export interface Viewer {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Sessions: the same token serves a browser as a cookie and a script as a bearer token. */
export class SessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a session and clears away this account's ended ones.
   * @returns Its token, 256 random bits; it is not stored and cannot be had again.
   */
  async startSession(accountId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const nowMs = this.clock.nowMs();
    await this.unitOfWork.transact(async (transaction) => {
      await deleteEndedSessions(transaction, accountId, nowMs);
      await transaction.insert(SessionEntity, {
        id: createId('session'),
        accountId,
        tokenHash: hashToken(token),
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
        expiresAtMs: nowMs + sessionLifetimeMs,
      });
    });
    return token;
  }

  /** Finds who a token belongs to. Unused for 7 days, or 30 days old, a session has ended. Notes its use, to the minute. */
  async findAccountBySessionToken(token: string): Promise<Viewer | null> {
    const session = await this.unitOfWork.reader.findOneBy(SessionEntity, { tokenHash: hashToken(token) });
    const nowMs = this.clock.nowMs();
    if (!session || hasEnded(session, nowMs)) return null;
    if (nowMs - session.lastUsedAtMs >= minuteMs) await this.#noteUse(session.id, nowMs);
    return { accountId: session.accountId, sessionId: session.id };
  }

  /** Ends a session at once. Ending it again does nothing. */
  async endSession(sessionId: string): Promise<void> {
    await this.unitOfWork.transact((transaction) => transaction.delete(SessionEntity, { id: sessionId }));
  }

  async #noteUse(sessionId: string, nowMs: number): Promise<void> {
    await this.unitOfWork.transact((transaction) =>
      transaction.update(SessionEntity, { id: sessionId }, { lastUsedAtMs: nowMs }),
    );
  }
}

function hasEnded(session: SessionEntity, nowMs: number): boolean {
  return nowMs >= session.expiresAtMs || nowMs - session.lastUsedAtMs >= sessionIdleMs;
}

async function deleteEndedSessions(transaction: EntityManager, accountId: string, nowMs: number): Promise<void> {
  const sessions = await transaction.findBy(SessionEntity, { accountId });
  const endedIds = sessions.filter((session) => hasEnded(session, nowMs)).map(({ id }) => id);
  if (endedIds.length > 0) await transaction.delete(SessionEntity, endedIds);
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
