import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError, NotFoundError } from '../../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { Logger } from '../../kernel/logger.js';
import { Secret } from '../../kernel/secret.js';
import { hasVisible, onlyPrintable } from '../../kernel/texts/printable-text.js';
import type { Viewer } from '../../kernel/viewer.js';
import { AccountEntity } from '../account.entity.js';
import type { AccountService, SignedIn, SignUpOrigin } from '../account-service.js';
import { markPassword, SecondStepError, type SignInFactors, stepIsOver } from '../sign-in/sign-in-factors.js';
import { nameLengthMax } from '../sign-up/sign-up-rules.js';
import {
  type IdentityProvider,
  type ProvenIdentity,
  type ProviderFault,
  ProviderFaultError,
} from './identity-provider.js';
import type { IdentityAt, LinkedIdentities, LinkedIdentity } from './linked-identities.js';
import { toProviderFault } from './provider-client.js';

type Kind = 'provider asked' | 'provider answered';
interface Holder {
  readonly kind: Kind;
  readonly holder: string;
}
interface Pending {
  readonly accountId: string | null;
  readonly payload: string;
}

export interface ProviderSignInParts {
  readonly unitOfWork: UnitOfWork;
  readonly providers: ReadonlyMap<string, IdentityProvider>;
  readonly identities: LinkedIdentities;
  readonly accounts: Pick<AccountService, 'signUpProven' | 'letIn'>;
  readonly factors: Pick<SignInFactors, 'isAsked' | 'beginSecondStep'>;
  /** What was begun, bound to one browser, for ten minutes and one use. */
  readonly pendingProofs: {
    begin(of: Holder, proof: Pending): Promise<void>;
    take(of: Holder): Promise<Pending | null>;
  };
  readonly openCounter: OpenAttemptCounter;
  readonly logger: Logger;
  readonly publicUrl: string;
}

/** What was begun at a provider. */
interface Begun {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string | null;
  /** Where the person wanted to go on the dashboard; null: nowhere in particular. */
  readonly next: string | null;
  /** Of whoever links; null: somebody signs in. */
  readonly sessionId: string | null;
}

interface Answered extends IdentityAt {
  readonly sessionId: string | null;
}

/** Where a provider's answer leads. */
export interface Outcome {
  readonly isLink: boolean;
  readonly next: string | null;
  /** null: the dashboard may finish it. */
  readonly fault: ProviderFault | null;
}

const startsMax = 30;
const windowMs = 15 * 60_000;
const nextLengthMax = 500;
const textLengthMax = 300;

/**
 * Signing in by another provider, in three steps: the browser is sent there, comes back with a code that proves who it is, and the
 * dashboard takes the proof for a session, or for a link. All three are bound to one browser by the verifier of PKCE, which it alone
 * has; of it a hash is stored. Each is good for ten minutes and once.
 */
export class ProviderSignIn {
  readonly #starts: AttemptCounter;

  constructor(private readonly parts: ProviderSignInParts) {
    this.#starts = parts.openCounter({ kind: 'provider sign-in', max: startsMax, windowMs, isFinal: true });
  }

  /** In the order of the settings. */
  list(): readonly Pick<IdentityProvider, 'id' | 'label'>[] {
    return [...this.parts.providers.values()];
  }

  /**
   * Begins at a provider. @param input.viewer Who links; null: somebody signs in.
   * @returns where to send the browser, and the token for its cookie.
   * @throws NotFoundError for an unknown provider; AppError `rate_limit_exceeded` after thirty of a network in a quarter of an hour;
   *   ProviderFaultError when the provider is away.
   */
  async start(
    id: string,
    { address, next, viewer }: { address: string; next: string | null; viewer: Viewer | null },
  ): Promise<{ readonly url: string; readonly token: Secret }> {
    const provider = this.parts.providers.get(id);
    if (provider === undefined) throw new NotFoundError('sign-in provider');
    const { waitMs } = await this.#starts.count(networkOf(address));
    if (waitMs > 0) {
      const words = `Too many sign-ins were started from your network. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
    }
    const { url, checks } = await provider.begin(this.#redirectUri(id)).catch((error) => this.#refuse(id, error));
    const { verifier, state, nonce } = checks;
    const isUsual = next !== null && next.length <= nextLengthMax;
    const begun: Begun = {
      provider: id,
      state,
      nonce,
      next: isUsual ? next : null,
      sessionId: viewer?.sessionId ?? null,
    };
    const pending = { accountId: viewer?.accountId ?? null, payload: JSON.stringify(begun) };
    await this.parts.pendingProofs.begin({ kind: 'provider asked', holder: verifier }, pending);
    return { url, token: new Secret(verifier) };
  }

  /** Takes a provider's answer. Never throws for what the provider or the browser did. @param search The query, with its `?`. */
  async takeAnswer(id: string, token: string | null, search: string): Promise<Outcome> {
    const asked = token && (await this.parts.pendingProofs.take({ kind: 'provider asked', holder: token }));
    const begun: Begun | null = asked ? JSON.parse(asked.payload) : null;
    const provider = this.parts.providers.get(id);
    if (!token || !asked || begun?.provider !== id || !provider) return { isLink: false, next: null, fault: 'over' };
    const { state, nonce, next, sessionId } = begun;
    const outcome = { isLink: sessionId !== null, next };
    const answer = new URL(`${this.#redirectUri(id)}${search}`);
    if (answer.searchParams.get('state') !== state) return { ...outcome, fault: 'over' };
    try {
      const identity = await provider
        .prove(answer, { verifier: token, state, nonce })
        .catch((error) => this.#refuse(id, error));
      const answered: Answered = { provider: id, identity: bound(identity), sessionId };
      const proof = { accountId: asked.accountId, payload: JSON.stringify(answered) };
      await this.parts.pendingProofs.begin({ kind: 'provider answered', holder: token }, proof);
      return { ...outcome, fault: null };
    } catch (error) {
      if (error instanceof ProviderFaultError) return { ...outcome, fault: error.fault };
      throw error;
    }
  }

  /**
   * Begins the session of whoever the provider has named: of the account that is linked, or of a new one with the verified address.
   * An account that is there with this address is never taken over: its owner signs in to it and links.
   * @throws AppError `unauthenticated` when this browser has proved nothing; `conflict` for an address that is not verified, or has an
   *   account; SecondStepError when the account asks for more; as `AccountService.signUp` does.
   */
  async finish(token: string | null, origin: SignUpOrigin): Promise<SignedIn> {
    const { accounts, factors, identities } = this.parts;
    const answered = await this.#takeAnswered(token);
    if (answered === null || answered.sessionId !== null) throw stepIsOver();
    const linked = await identities.find(answered.identity);
    const account = linked && (await this.#findAccount(linked));
    if (linked === null || account === null) return this.#signUp(answered, origin);
    await identities.noteUse(linked);
    if (!(await factors.isAsked(account.id))) return accounts.letIn(account, origin.from, 'provider');
    const step = { accountId: account.id, passwordMark: markPassword(account.passwordHash) };
    throw new SecondStepError(await factors.beginSecondStep(step));
  }

  /** Links whom the provider has named to the account whose session began it. @throws as `finish` and `LinkedIdentities.link` do. */
  async finishLink(token: string | null, { accountId, sessionId }: Viewer): Promise<LinkedIdentity> {
    const answered = await this.#takeAnswered(token);
    if (answered?.accountId !== accountId || answered.sessionId !== sessionId) throw stepIsOver();
    return this.parts.identities.link(accountId, answered);
  }

  async #signUp(answered: Answered, origin: SignUpOrigin): Promise<SignedIn> {
    const { identity, provider } = answered;
    const label = this.parts.providers.get(provider)?.label ?? provider;
    if (identity.email === null || !identity.isEmailVerified) {
      const words = `${label} has not verified an e-mail address of yours. Have it verified there, or sign up with a password and link ${label} in your settings.`;
      throw new AppError('conflict', words);
    }
    const input = { ...origin, email: identity.email, name: usableName(identity) };
    const also = async (transaction: EntityManager, accountId: string) => {
      await this.parts.identities.insert(transaction, accountId, answered);
    };
    try {
      return await this.parts.accounts.signUpProven(input, also);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'conflict';
      if (!isTaken && !isUniqueViolation(error)) throw error;
      const words = `There is an account with this e-mail address already. Sign in to it as you did before, then link ${label} in its settings.`;
      throw new AppError('conflict', words, { cause: error });
    }
  }

  async #takeAnswered(token: string | null): Promise<(Answered & Pick<Pending, 'accountId'>) | null> {
    if (token === null) return null;
    const proof = await this.parts.pendingProofs.take({ kind: 'provider answered', holder: token });
    return proof && { ...(JSON.parse(proof.payload) as Answered), accountId: proof.accountId };
  }

  #findAccount({ accountId }: LinkedIdentity): Promise<AccountEntity | null> {
    return this.parts.unitOfWork.reader.findOneBy(AccountEntity, { id: accountId });
  }

  #redirectUri(id: string): string {
    return `${this.parts.publicUrl}/sign-in/callback/${id}`;
  }

  #refuse(provider: string, error: unknown): never {
    const refused = toProviderFault(error);
    const reason = (refused.cause as Partial<Error> | undefined)?.message;
    if (refused.fault !== 'declined') {
      this.parts.logger.warn('sign_in_provider_failed', { provider, fault: refused.fault, reason });
    }
    throw refused;
  }
}

function usableName({ name }: ProvenIdentity): string | null {
  const text = [...onlyPrintable(name ?? '').trim()].slice(0, nameLengthMax).join('').trim();
  return hasVisible(text) ? text : null;
}

// A provider may say what it likes, at any length.
function bound(identity: ProvenIdentity): ProvenIdentity {
  const { issuer, subject, email, name, login } = identity;
  const cut = (text: string | null) => text?.slice(0, textLengthMax) ?? null;
  if (issuer.length > textLengthMax || subject.length > textLengthMax) throw new ProviderFaultError('refused');
  const isEmailUsable = email === null || email.length <= textLengthMax;
  return { ...identity, email: isEmailUsable ? email : null, name: cut(name), login: cut(login) };
}
