import { randomBytes } from 'node:crypto';
import { type EntityManager, In, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { findActor } from '../../audit/acting.js';
import { noteEvent } from '../../audit/note-event.js';
import { holdAccountRow } from '../../database/hold-account-row.js';
import { hasCome } from '../../database/time/has-come.js';
import { isDue, isStanding } from '../../database/time/is-due.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import { onlyPrintable } from '../../kernel/texts/printable-text.js';
import type { Viewer } from '../../kernel/viewer.js';
import { AccountEntity } from '../account.entity.js';
import type { MembersOfAccounts } from '../account-deletion.js';
import { voidWhatIsOpen } from '../recovery/void-what-is-open.js';
import { KnownDeviceEntity } from './known-device.entity.js';
import { type ProofMeans, SessionEntity } from './session.entity.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const sessionIdleMs = 7 * dayMs;
export const sessionLifetimeMs = 30 * dayMs;
const listedSessionsMax = 100;
/** One for each minute of the days that an unused one stands. */
export const sessionsMax = 10_000;
/** A sign-in takes one more than there may be; the rest is of a release that knew no bound. */
const surplusEndedAtOnce = 1_000;
const userAgentLengthMax = 191;
const lastUsedFirst = { lastUsedAtMs: 'DESC', id: 'DESC' } as const;

/** A viewer, and for which account the session acts: the viewer's own, or one in which they are a member. */
export interface ActingViewer extends Viewer {
  readonly actingAccountId: string;
}

/** The last proof of a session's owner. */
export interface SessionProof {
  readonly atMs: number;
  readonly by: ProofMeans;
}

/** A session, as its owner may see it. */
export type Session = Readonly<Pick<SessionEntity, 'id' | 'createdAtMs' | 'lastUsedAtMs' | 'userAgent'>>;

/** Whose session begins, after whoever begins it has shown to know the password. */
export interface ProvenAccount {
  readonly id: string;
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
}

/** Sessions: the same token serves a browser as a cookie and a script as a bearer token. */
export class SessionService {
  /** @param members Left out: nobody pays by a saved card here. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly members: Pick<MembersOfAccounts, 'withdrawConsents'> | null = null,
  ) {}

  /**
   * Starts a session and clears away this account's ended ones. Beyond 10,000 that run, those end that were unused for longest.
   * @param userAgent What the program that signs in calls itself; its first 191 characters are kept.
   * @param provedBy What its owner has just proved to be the owner by.
   * @returns Its token, 256 random bits; it is not stored and cannot be had again.
   * @throws AppError `unauthenticated` when the password was changed, or the account deleted, since it was compared.
   */
  async startSession(
    { id: accountId, passwordHash }: ProvenAccount,
    userAgent: string | null,
    provedBy: ProofMeans = 'password',
  ): Promise<string> {
    const token = createToken();
    const nowMs = this.clock.nowMs();
    await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await lockProven(transaction, { id: accountId, passwordHash });
      await deleteEndedSessions(transaction, accountId, nowMs);
      const sessionId = createId('session');
      await noteEvent(transaction, { accountId, kind: 'signed_in', subjectId: sessionId });
      await transaction.insert(SessionEntity, {
        id: sessionId,
        accountId,
        tokenHash: hashText(token),
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
        expiresAtMs: nowMs + sessionLifetimeMs,
        userAgent: userAgent === null ? null : cleanUserAgent(userAgent),
        actingAccountId: null,
        provedAtMs: nowMs,
        provedBy,
      });
    });
    return token;
  }

  /** Finds who a token belongs to. Unused for 7 days, or 30 days old, a session has ended. Notes its use, to the minute. */
  async findAccountBySessionToken(token: string): Promise<ActingViewer | null> {
    const session = await this.unitOfWork.reader.findOneBy(SessionEntity, { tokenHash: hashText(token) });
    const nowMs = this.clock.nowMs();
    if (!session || hasEnded(session, nowMs)) return null;
    if (nowMs - session.lastUsedAtMs >= minuteMs) await this.#noteUse(session.id, nowMs);
    return toActingViewer(session);
  }

  /** Whose session goes on; null: it has ended. Asking is no use of it. */
  async findRunning(sessionId: string): Promise<ActingViewer | null> {
    const session = await this.unitOfWork.reader.findOneBy(SessionEntity, { id: sessionId });
    return session === null || hasEnded(session, this.clock.nowMs()) ? null : toActingViewer(session);
  }

  /** The account's running sessions, the last used first; at most 100. */
  async listSessions(accountId: string): Promise<readonly Session[]> {
    const nowMs = this.clock.nowMs();
    const running = {
      expiresAtMs: isStanding(nowMs, sessionLifetimeMs),
      lastUsedAtMs: MoreThan(nowMs - sessionIdleMs),
    };
    const where = { accountId, ...running };
    return this.unitOfWork.reader.find(SessionEntity, { where, order: lastUsedFirst, take: listedSessionsMax });
  }

  /** Ends a session at once. @returns whether there was one; another account's answers as a missing one. */
  async endSession({ accountId, sessionId }: Viewer): Promise<boolean> {
    const where = { id: sessionId, accountId };
    const kind = findActor()?.actorId === sessionId ? 'signed_out' : 'session_ended';
    return this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await holdAccountRow(transaction, accountId);
      const { affected } = await transaction.delete(SessionEntity, where);
      if (affected === 1) await noteEvent(transaction, { accountId, kind, subjectId: sessionId });
      return affected === 1;
    });
  }

  /**
   * Ends every session of an account at once, as `endSessions` does. Automatic top-ups to which one of them may have agreed are off until
   * the person agrees again, and they are mailed. @param also Written in the same transaction. @returns how many there were.
   */
  async endAllSessions(accountId: string, also?: (transaction: EntityManager) => Promise<void>): Promise<number> {
    return this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await holdAccountRow(transaction, accountId);
      await also?.(transaction);
      await noteEvent(transaction, { accountId, kind: 'all_sessions_ended' });
      const sinceMs = oldestSessionMs(this.clock.nowMs());
      await this.members?.withdrawConsents(transaction, { personId: accountId, sinceMs, isPersonTold: true });
      return (await endSessions(transaction, accountId)).affected ?? 0;
    });
  }

  /** Gives a session a new token; the old one is worth nothing from then on. @returns the new one. */
  async renewToken(sessionId: string): Promise<string> {
    const token = createToken();
    const change = { tokenHash: hashText(token) };
    await this.unitOfWork.transact((transaction) => transaction.update(SessionEntity, { id: sessionId }, change));
    return token;
  }

  /** When whose session this is last proved to be its owner, and by what; null: it has ended. */
  async findProof({ accountId, sessionId }: Viewer): Promise<SessionProof | null> {
    const session = await this.unitOfWork.reader.findOneBy(SessionEntity, { id: sessionId, accountId });
    return session && { atMs: session.provedAtMs ?? session.createdAtMs, by: session.provedBy ?? 'password' };
  }

  /** Notes that the owner of a session has just proved to be its owner. */
  async noteProof({ accountId, sessionId }: Viewer, provedBy: ProofMeans): Promise<void> {
    const change = { provedAtMs: this.clock.nowMs(), provedBy };
    await this.unitOfWork.transact((transaction) =>
      transaction.update(SessionEntity, { id: sessionId, accountId }, change),
    );
  }

  async #noteUse(sessionId: string, nowMs: number): Promise<void> {
    await this.unitOfWork.transact((transaction) =>
      transaction.update(SessionEntity, { id: sessionId }, { lastUsedAtMs: nowMs }),
    );
  }
}

/** Since when a session that runs now may have begun. */
export function oldestSessionMs(nowMs: number): number {
  return nowMs - sessionLifetimeMs;
}

/**
 * Ends all sessions of an account but one, in the transaction that has written its account's row, with whatever somebody has begun
 * there and could still finish, as `voidWhatIsOpen` says. It forgets the devices, too: whoever wants everybody out wants nobody's
 * attempts counted apart.
 */
export async function endSessions(transaction: EntityManager, accountId: string, keptSessionId?: string) {
  await voidWhatIsOpen(transaction, accountId);
  await transaction.delete(KnownDeviceEntity, { accountId });
  const others = keptSessionId === undefined ? {} : { id: Not(keptSessionId) };
  return transaction.delete(SessionEntity, { accountId, ...others });
}

/** Has a session act for another account from the next request on. That its owner is a member there is for the caller to prove. */
export async function actFor(transaction: EntityManager, { accountId, sessionId }: Viewer, actingAccountId: string) {
  const isOwn = actingAccountId === accountId;
  const where = { id: sessionId, accountId };
  await transaction.update(SessionEntity, where, { actingAccountId: isOwn ? null : actingAccountId });
}

/** Ends the sessions that act for an account of somebody else. @param personId left out: of everybody. */
export async function endActingSessions(
  transaction: EntityManager,
  { actingAccountId, personId }: { readonly actingAccountId: string; readonly personId?: string },
): Promise<void> {
  const ofPerson = personId === undefined ? {} : { accountId: personId };
  await transaction.delete(SessionEntity, { actingAccountId, ...ofPerson });
}

function toActingViewer({ id: sessionId, accountId, actingAccountId }: SessionEntity): ActingViewer {
  return { accountId, sessionId, actingAccountId: actingAccountId ?? accountId };
}

/**
 * The first statement of whatever the owner of an account begins by a password and a session. It waits for a change of the password or
 * an end of all sessions at its side, and then fails: without it, what both make void could begin just behind them.
 * @throws AppError `unauthenticated` when the password was changed, the session ended or the account deleted since they were looked at.
 */
export async function lockOwner(
  transaction: EntityManager,
  { passwordHash, viewer }: { readonly passwordHash: string; readonly viewer: Viewer },
): Promise<void> {
  const { accountId, sessionId } = viewer;
  const isProven = await isStillProven(transaction, { id: accountId, passwordHash });
  if (isProven && (await isSessionThere(transaction, { accountId, sessionId }))) return;
  throw new AppError('unauthenticated', 'The password was changed, or this session ended, meanwhile. Sign in again.');
}

/** Whether a session has not been ended; asked in a transaction that has locked the row of its owner's account. */
export function isSessionThere(transaction: EntityManager, { accountId, sessionId }: Viewer): Promise<boolean> {
  return transaction.existsBy(SessionEntity, { id: sessionId, accountId });
}

async function lockProven(transaction: EntityManager, account: ProvenAccount): Promise<void> {
  if (await isStillProven(transaction, account)) return;
  throw new AppError('unauthenticated', 'The e-mail or the password is wrong.');
}

// Writing the row makes a sign-in wait for a change of the password at its side, and then fail: without it, a session could
// begin with the old password just after the change has ended all others.
async function isStillProven(transaction: EntityManager, { id, passwordHash }: ProvenAccount): Promise<boolean> {
  return (await transaction.update(AccountEntity, { id, passwordHash }, { passwordHash })).affected === 1;
}

function createToken(): string {
  return randomBytes(32).toString('base64url');
}

function cleanUserAgent(userAgent: string): string {
  return onlyPrintable(userAgent).slice(0, userAgentLengthMax);
}

function hasEnded(session: SessionEntity, nowMs: number): boolean {
  // One of a clock that was ahead would outlive its thirty days.
  return hasCome(session.expiresAtMs, nowMs, sessionLifetimeMs) || nowMs - session.lastUsedAtMs >= sessionIdleMs;
}

// By the database: a script that signs in for each thing that it does has more of them than this process should read, or a statement name.
async function deleteEndedSessions(transaction: EntityManager, accountId: string, nowMs: number): Promise<void> {
  // A new account has none, and many may sign up at once.
  if (!(await transaction.existsBy(SessionEntity, { accountId }))) return;
  await transaction.delete(SessionEntity, { accountId, expiresAtMs: isDue(nowMs, sessionLifetimeMs) });
  await transaction.delete(SessionEntity, { accountId, lastUsedAtMs: LessThanOrEqual(nowMs - sessionIdleMs) });
  const surplus = await transaction.find(SessionEntity, {
    select: { id: true },
    where: { accountId },
    order: lastUsedFirst,
    // The one that begins is the last that there may be.
    skip: sessionsMax - 1,
    take: surplusEndedAtOnce,
  });
  if (surplus.length > 0) await transaction.delete(SessionEntity, { id: In(surplus.map(({ id }) => id)) });
}
