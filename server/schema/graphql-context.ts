import type { ActingKey } from '../kernel/api-key.js';
import { AppError, createSignInError, InvalidInputError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import type { Secret } from '../kernel/secret.js';
import type { Viewer } from '../kernel/viewer.js';

/**
 * Who asks: a person, known by a session, or one of an account's keys. What they may ask each operation says beside itself (`access.ts`).
 */
export interface Caller {
  /** The account that is acted on; of an operation about the person, the one that they signed up with. */
  readonly accountId: string;
  /** The person, by the account that they signed up with; null: it is a key that asks. */
  readonly personId: string | null;
  /** What the person is in the account that the session acts for; null: it is a key that asks. */
  readonly role: MemberRole | null;
  /** null: it is a key that asks. */
  readonly sessionId: string | null;
  /** null: it is a session that asks. */
  readonly key: ActingKey | null;
  /**
   * The operator who looks at the account as this person sees it: `sessionId` is the id of the view then, and only what says so may
   * be asked (`access.ts`). Left out: nobody but the customer is there.
   */
  readonly operatorId?: string;
}

/** What a resolver may know about the request that it serves. */
export interface GraphqlContext {
  /** Who asks; null: nobody who is known. */
  readonly viewer: Caller | null;
  /** Whether a session was sent that has ended or never was one; then `viewer` is null. */
  readonly isSessionOver: boolean;
  /** @throws AppError `session_of_another` where the page that asks shows another account than the session is of. */
  refuseOtherOwner(): void;
  /** The session token or API key that was sent, right or wrong; null: none. */
  readonly token: Secret | null;
  /** The header `Idempotency-Key`; null: there is none. */
  readonly idempotencyKey: string | null;
  /** The caller's network address. */
  readonly addressOfCaller: string;
  /** What the caller's program calls itself; null: it does not say. */
  readonly userAgent: string | null;
  /** Whether the session came as a cookie, so that a new token can be handed to whoever holds the old one. */
  readonly isSignedInByCookie: boolean;
  /** By which the browser is known from earlier sign-ins; empty: it has none. */
  readonly deviceTokens: readonly string[];
  /** By which the browser finishes a sign-in that it has begun; null: it has begun none. */
  readonly stepToken: string | null;
  /** By which the browser finishes what it has begun at another provider; null: it has begun nothing. */
  readonly providerToken: string | null;
  /** Asked through `fresh-factor.ts`. @throws AppError `fresh_factor_required`. */
  requireFresh(viewer: Viewer, rule: { readonly isByCookie: boolean; readonly isAskedOfAll: boolean }): Promise<void>;
  setStepCookie(token: string): void;
  clearStepCookie(): void;
  setProviderCookie(token: string): void;
  clearProviderCookie(): void;
  setDeviceCookie(tokens: readonly string[]): void;
  setSessionCookie(sessionToken: string): void;
  clearSessionCookie(): void;
  /** Loads a row that several objects of this answer name only once. */
  loadOnce<Row>(name: string, load: () => Promise<Row>): Promise<Row>;
}

/** @throws AppError `unauthenticated` when nobody is signed in. */
export function requireViewer(context: GraphqlContext): Caller {
  const viewer = findViewer(context);
  if (viewer) return viewer;
  throw createSignInError();
}

/**
 * Who asks; null: somebody who has sent no session.
 * @throws AppError `unauthenticated` for a session that has ended or never was one: whoever sends it believes that it is valid.
 */
export function findViewer({ viewer, isSessionOver }: GraphqlContext): Caller | null {
  if (!isSessionOver) return viewer;
  throw new AppError('unauthenticated', 'This session has ended, or never was one. Sign in again.');
}

/**
 * Asks whoever is signed in to prove anew to be there. A key passes, and so does nobody, whom others refuse.
 * @param isAskedOfAll Whether an account without a factor is asked, too: for its password.
 * @throws AppError `fresh_factor_required` as `FreshFactors.require` says.
 */
export async function requireFreshProof(
  { viewer, isSignedInByCookie, requireFresh }: GraphqlContext,
  isAskedOfAll = true,
): Promise<void> {
  if (viewer === null || viewer.sessionId === null) return;
  const { accountId: ownId, personId, sessionId } = viewer;
  // Whatever account the session acts for, it is the person who proves to be there.
  await requireFresh({ accountId: personId ?? ownId, sessionId }, { isByCookie: isSignedInByCookie, isAskedOfAll });
}

/**
 * The key by which a change is known again when it is asked for twice, from its argument or from the header; null: none.
 * @throws InvalidInputError when the two differ.
 */
export function findIdempotencyKey(context: GraphqlContext, argument: string | null | undefined): string | null {
  const { idempotencyKey: header } = context;
  if (argument && header !== null && argument !== header) {
    throw new InvalidInputError(
      'idempotencyKey',
      'The argument and the header Idempotency-Key differ. Send one of them.',
    );
  }
  return argument ?? header;
}

/**
 * For what only a person who is signed in may do. `operation-guard.ts` closes these operations to keys before they begin.
 * @throws AppError `unauthenticated` when nobody is signed in, `session_required` when it is a key that asks.
 */
export function requireSession(context: GraphqlContext): Viewer {
  const { accountId, sessionId } = requireViewer(context);
  if (sessionId !== null) return { accountId, sessionId };
  throw new AppError('session_required', 'This is for a person who is signed in; no API key may do it.', {
    metadata: { permission: 'session' },
  });
}

/** The person who is signed in, and the account that their session acts for. @throws as `requireSession` does. */
export function requirePerson(context: GraphqlContext): Viewer & { readonly personId: string } {
  const viewer = requireSession(context);
  return { ...viewer, personId: context.viewer?.personId ?? viewer.accountId };
}

/** One memory per request, so that it ends with it. */
export function createLoadOnce(): GraphqlContext['loadOnce'] {
  const loaded = new Map<string, Promise<unknown>>();
  return <Row>(name: string, load: () => Promise<Row>) => {
    const row = (loaded.get(name) as Promise<Row> | undefined) ?? load();
    loaded.set(name, row);
    return row;
  };
}
