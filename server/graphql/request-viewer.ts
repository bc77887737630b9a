import type { EntityManager } from 'typeorm';
import { type ActingViewer, type SessionService, sessionLifetimeMs } from '../accounts/sign-in/session-service.js';
import type { Standing } from '../database/standing.js';
import { mayWrite } from '../kernel/api-key.js';
import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { Secret } from '../kernel/secret.js';
import type { AuthenticatedKey, KeyAuthenticator } from '../keys/authenticate-key.js';
import { requireAddress } from '../keys/key-permissions.js';
import { looksLikeSecret } from '../keys/key-secret.js';
import { actForMaker } from '../keys/maker-role.js';
import type { CustomerViews } from '../operator/accounts/customer-views.js';
import { operatorLifetimeMs } from '../operator/people/operator-sessions.js';
import { looksLikeOperatorToken } from '../operator/people/operator-tokens.js';
import { type Access, closed } from '../schema/access.js';
import type { Caller } from '../schema/graphql-context.js';
import { standingOf } from './caller-standing.js';
import { DeviceCookie } from './cookies/device-cookie.js';
import { type AskingRequest, GuardedCookie } from './cookies/guarded-cookie.js';
import { StepCookie } from './cookies/step-cookie.js';
import { enterAs } from './enter-as-member.js';
import { requireAccess } from './operation-guard.js';
import { routeAccess } from './route-access.js';

export interface RequestViewerParts {
  readonly sessions: Pick<SessionService, 'findAccountBySessionToken' | 'findRunning'>;
  readonly members: {
    findRole(
      of: { readonly accountId: string; readonly personId: string },
      reader?: EntityManager,
    ): Promise<MemberRole | null>;
  };
  readonly keys: Pick<KeyAuthenticator, 'authenticate'>;
  readonly customerViews: Pick<CustomerViews, 'find'>;
  /** Where browsers reach this server. */
  readonly publicUrl: string;
}

/** Names the view by which an operator asks as a customer. Nothing else in the request says who asks then, but the operator's cookie. */
const viewHeader = 'tollgate-view';

/** Names whose pages a tab of the dashboard shows: the person, and the account that the session acted for, with a space between. */
const shownHeader = 'tollgate-session-of';

/**
 * Tells who sends a request: by `Authorization: Bearer <session token or API key>` or, in a browser, by the session cookie; an
 * operator who looks as a customer, by the operators' cookie and the header `tollgate-view`.
 * GraphQL, its live stream and the exports all ask here.
 */
export class RequestViewer {
  /** Customers and operators have one each, so a browser may be signed in as both. */
  readonly cookie: GuardedCookie;
  readonly operatorCookie: GuardedCookie;
  readonly deviceCookie: DeviceCookie;
  readonly stepCookie: StepCookie;
  readonly providerCookie: StepCookie;
  readonly #publicOrigin: string;

  constructor(private readonly parts: RequestViewerParts) {
    this.cookie = new GuardedCookie(parts.publicUrl, { name: 'sid', lifetimeMs: sessionLifetimeMs });
    this.operatorCookie = new GuardedCookie(parts.publicUrl, { name: 'operator', lifetimeMs: operatorLifetimeMs });
    this.deviceCookie = new DeviceCookie(parts.publicUrl);
    this.stepCookie = new StepCookie(parts.publicUrl);
    this.providerCookie = new StepCookie(parts.publicUrl, { name: 'provider', sameSite: 'lax' });
    this.#publicOrigin = new URL(parts.publicUrl).origin;
  }

  /**
   * Keys are read from the database each time, so that a revoked one is refused at once. One that writes does so while its maker,
   * where that is a member still, is an owner or admin.
   * @returns null for nobody, or a session that has ended.
   * @throws AppError `forbidden` when the request carries the cookie and says that it comes from another site;
   *   `invalid_api_key` or `ip_not_authorized` for a key; `unauthenticated` for a view that has ended, or is another's.
   */
  async find(request: AskingRequest): Promise<Caller | null> {
    this.refuseForeign(request);
    const viewId = readViewId(request);
    if (viewId !== null) return this.#getLookingOperator(viewId, request);
    const { keys, sessions } = this.parts;
    const token = this.#readToken(request);
    if (token === null) return null;
    if (looksLikeSecret(token)) {
      const key = await keys.authenticate(token, { isFresh: true });
      requireAddress(key.permissions, request.ip ?? 'unknown');
      return { accountId: key.accountId, personId: null, role: null, sessionId: null, key: await this.#toActing(key) };
    }
    const session = await sessions.findAccountBySessionToken(token);
    return session && this.#toCaller(session);
  }

  // Read each time, as the role of a session is. Keys that only call and read are as they are, and cost no look-up.
  async #toActing(key: AuthenticatedKey): Promise<AuthenticatedKey> {
    if (!mayWrite(key.permissions.scopes)) return key;
    const { accountId, makerId: personId } = key;
    return actForMaker(key, await this.parts.members.findRole({ accountId, personId }));
  }

  async #getLookingOperator(viewId: string, request: AskingRequest): Promise<Caller> {
    const token = this.operatorCookie.read(request);
    const view = token === null ? null : await this.parts.customerViews.find(viewId, token);
    const person = view && { accountId: view.accountId, actingAccountId: view.accountId, sessionId: view.id };
    const caller = person && (await this.#toCaller(person));
    if (view && caller) return { ...caller, operatorId: view.operatorId };
    const words =
      'This view of a customer’s account has ended. Begin another one from the account’s page at /operator.';
    throw new AppError('unauthenticated', words);
  }

  // Read each time: a role that was changed holds from the next request on, and a session for an account of others is none without it.
  async #toCaller({
    accountId: personId,
    sessionId,
    actingAccountId: accountId,
  }: ActingViewer): Promise<Caller | null> {
    const role = await this.parts.members.findRole({ accountId, personId });
    return role && { accountId, personId, role, sessionId, key: null };
  }

  /**
   * As `find`, for a route that is no operation of the schema. One that `routeAccess` does not name is closed.
   * @returns the caller, acting on the account that the operation is about.
   * @throws AppError as `find` does; `missing_scope` or `session_required` for a key that may not ask it; `role_required` for a
   *   member who may not.
   */
  findFor(route: string, request: AskingRequest): Promise<Caller | null> {
    return this.#enter(routeAccess[route] ?? closed, request);
  }

  async #enter(access: Access, request: AskingRequest): Promise<Caller | null> {
    const viewer = await this.find(request);
    this.refuseOtherOwner(request, viewer);
    requireAccess(access, { viewer });
    return enterAs(access.members, viewer);
  }

  /** Whether who sent a request that goes on may still ask it. For a session, being asked is no use of it. */
  async mayStill(
    access: Access,
    request: AskingRequest,
    { accountId, sessionId }: Pick<Caller, 'accountId' | 'sessionId'>,
  ): Promise<boolean> {
    try {
      if (sessionId !== null) {
        const session = await this.parts.sessions.findRunning(sessionId);
        const viewer = session && enterAs(access.members, await this.#toCaller(session));
        return viewer?.accountId === accountId;
      }
      return (await this.#enter(access, request)) !== null;
    } catch (error) {
      if (error instanceof AppError && error.code !== 'service_unavailable') return false;
      throw error;
    }
  }

  /** The same for a route, as `findFor`. */
  mayStillFor(route: string, request: AskingRequest, caller: Pick<Caller, 'accountId' | 'sessionId'>) {
    return this.mayStill(routeAccess[route] ?? closed, request, caller);
  }

  /** What each transaction of a change that somebody asks for proves first. */
  standingOf(caller: Caller): Standing {
    return standingOf(caller, this.parts.members);
  }

  /** @throws AppError `forbidden`, as `find` does, without a look at the database. */
  refuseForeign(request: AskingRequest): void {
    const hasCookie = this.cookie.read(request) !== null || this.operatorCookie.read(request) !== null;
    if (!hasCookie || isOwnOrigin(request, this.#publicOrigin)) return;
    throw new AppError('forbidden', 'This request comes from another site. Send it from our own.');
  }

  /**
   * To be asked before a request changes something. The tabs of a browser have one session, which may have become another's than the
   * one whose pages a tab still shows. Who does not say what it shows, as a script, is asked nothing.
   * @throws AppError `session_of_another` where the request names others than the session is of.
   */
  refuseOtherOwner(request: AskingRequest, caller: Pick<Caller, 'personId' | 'accountId'> | null): void {
    const shown = request.headers[shownHeader];
    if (shown === undefined || !caller?.personId || shown === `${caller.personId} ${caller.accountId}`) return;
    const words =
      'Somebody else has signed in, or another account was chosen, in this browser. Nothing was changed. Reload this page.';
    throw new AppError('session_of_another', words);
  }

  isByCookie(request: AskingRequest): boolean {
    if (readViewId(request) !== null) return true;
    return readBearer(request) === null && this.cookie.read(request) !== null;
  }

  /** The session token or API key that a request carries, right or wrong; null: none. */
  findToken(request: AskingRequest): Secret | null {
    const token = this.#readToken(request);
    return token === null ? null : new Secret(token);
  }

  /** The token of an operator's script, right or wrong; null: none, or a look as a customer, which only a session has. */
  findOperatorToken(request: AskingRequest): string | null {
    const bearer = readViewId(request) === null ? readBearer(request) : null;
    return bearer !== null && looksLikeOperatorToken(bearer) ? bearer : null;
  }

  // A token of an operator's script opens nothing of a customer's, and a cookie beside it counts for nothing.
  #readToken(request: AskingRequest): string | null {
    if (readViewId(request) !== null || this.findOperatorToken(request) !== null) return null;
    return readBearer(request) ?? this.cookie.read(request);
  }
}

// Browsers name the origin on every POST, and the kind of site on every request; a client that names neither is no browser
// that could be misled.
function isOwnOrigin(request: AskingRequest, publicOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site === 'cross-site' || site === 'same-site') return false;
  if (origin === undefined || origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function readViewId({ headers }: AskingRequest): string | null {
  const id = headers[viewHeader];
  return typeof id === 'string' ? id : null;
}

function readBearer(request: AskingRequest): string | null {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
