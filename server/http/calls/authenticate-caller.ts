import { networkOf } from '../../kernel/addresses/network-address.js';
import type { KeyScope } from '../../kernel/api-key.js';
import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { AuthenticatedKey, KeyAuthenticator } from '../../keys/authenticate-key.js';
import { judgeAsItStands } from '../../keys/judge-key.js';
import type { KeyNetworks } from '../../keys/key-networks.js';
import { requireAddress, requireScope } from '../../keys/key-permissions.js';
import { type ProxyExchange, readCallerKey } from './proxy-exchange.js';
import { type RequestAllowanceServices, takeRequest } from './request-allowance.js';

/** Requests without a good key from one network in a minute, before they are only told to wait. */
const unauthenticatedPerMinute = 60;
const unauthenticatedErrors: ReadonlySet<ErrorCode> = new Set(['missing_api_key', 'invalid_api_key']);

/**
 * Lets callers in: finds out whose key it is and takes one request off that account's minute. A network that keeps
 * coming without a good key is told to wait; good keys from there pass all the same. Those failures are counted
 * by all instances together.
 */
export class CallerGate {
  readonly #unauthenticated: AttemptCounter;

  constructor(
    private readonly authenticator: KeyAuthenticator,
    private readonly allowance: RequestAllowanceServices,
    openCounter: OpenAttemptCounter,
    private readonly networks: Pick<KeyNetworks, 'note'>,
  ) {
    const windowMs = 60_000;
    this.#unauthenticated = openCounter({ kind: 'stranger', max: unauthenticatedPerMinute, windowMs, isFinal: true });
  }

  /**
   * The account's standing goes into the headers, so that every answer has them, the refusals too. A call by a key that is remembered
   * waits for nothing.
   * @param needed What the address asks of the key: one of these scopes, or with none, that it is a key. Unless it is for
   *   `chat`, where a hold looks at the key, the key is read from the database, so that a revoked one reads nothing more.
   * @returns the key, which is judged in the same way when it is read again.
   * @throws AppError `missing_api_key`, `invalid_api_key`, `missing_scope`, `ip_not_authorized` or `rate_limit_exceeded`.
   */
  async admit(exchange: ProxyExchange, needed: readonly KeyScope[] = ['chat']): Promise<AuthenticatedKey> {
    const isFresh = !needed.includes('chat');
    const found = this.#authenticate(exchange, isFresh);
    const read = found instanceof Promise ? await found : found;
    exchange.caller = { accountId: read.accountId, keyId: read.keyId };
    const permit = (asItStands: AuthenticatedKey) => this.#permit(asItStands, exchange, needed);
    const permitted = isFresh ? permit(read) : judgeAsItStands(read, permit);
    const key = permitted instanceof Promise ? await permitted : permitted;
    const { accountId, keyId, permissions } = key;
    const taken = takeRequest(exchange, { accountId, keyId, ownRate: permissions.requestsPerMinute }, this.allowance);
    if (taken !== null) await taken;
    return key;
  }

  #permit(key: AuthenticatedKey, exchange: ProxyExchange, needed: readonly KeyScope[]): AuthenticatedKey {
    const address = exchange.request.ip ?? 'unknown';
    requireAddress(key.permissions, address);
    if (needed.length > 0) requireScope(key.permissions, ...needed);
    this.networks.note(key, address);
    const { keyId, accountId, makerId, permissions, revision, isMakerBudgeted } = key;
    const reload = async () => this.#permit(await key.reload(), exchange, needed);
    return { keyId, accountId, makerId, permissions, revision, isMakerBudgeted, reload };
  }

  #authenticate(exchange: ProxyExchange, isFresh: boolean): AuthenticatedKey | Promise<AuthenticatedKey> {
    const refuse = (error: unknown) => this.#refuse(exchange, error);
    try {
      const key = this.authenticator.authenticate(readCallerKey(exchange), { isFresh });
      return key instanceof Promise ? key.catch(refuse) : key;
    } catch (error) {
      return refuse(error);
    }
  }

  async #refuse({ request, response }: ProxyExchange, error: unknown): Promise<never> {
    // Only who came without a key that is good: a database that cannot be asked says nothing about the caller.
    if (!(error instanceof AppError) || !unauthenticatedErrors.has(error.code)) throw error;
    const standing = await this.#unauthenticated.count(networkOf(request.ip ?? 'unknown'));
    response.setHeader('x-ratelimit-limit-requests', unauthenticatedPerMinute);
    response.setHeader('x-ratelimit-remaining-requests', Math.max(0, unauthenticatedPerMinute - standing.count));
    response.setHeader('x-ratelimit-reset-requests', `${Math.ceil(standing.endsInMs / 1_000)}s`);
    if (standing.waitMs === 0) throw error;
    throw new AppError(
      'rate_limit_exceeded',
      'Too many requests without a valid API key from your address. Check the key, then try again.',
      { retryAfterMs: standing.waitMs },
    );
  }
}
