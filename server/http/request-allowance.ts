import type { AccountLimits, OwnLimits } from '../limits/account-limits.js';
import { RateLimitedError, type RequestOwner, type RequestRateLimit } from '../limits/request-rate-limit.js';
import { type ProxyExchange, setHeaders } from './proxy-exchange.js';

export interface RequestAllowanceServices {
  readonly rateLimit: Pick<RequestRateLimit, 'take'>;
  readonly accountLimits: Pick<AccountLimits, 'find'>;
}

/**
 * Finds the limits of the caller's account and takes one request off its minute; the headers tell where the caller stands, also when it
 * is refused.
 * @returns a promise only where something has to be waited for: mostly the limits are remembered, and this process counts.
 * @throws AppError as `RequestRateLimit.take` and `AccountLimits.find`.
 */
export function takeRequest(
  exchange: ProxyExchange,
  owner: Owner,
  { rateLimit, accountLimits }: RequestAllowanceServices,
): Promise<void> | void {
  const found = accountLimits.find(owner.accountId);
  if (!(found instanceof Promise)) return takeWithin(exchange, owner, found, rateLimit);
  return found.then((limits) => takeWithin(exchange, owner, limits, rateLimit));
}

type Owner = Omit<RequestOwner, 'accountRate'>;

function takeWithin(
  exchange: ProxyExchange,
  { accountId, keyId, ownRate }: Owner,
  limits: OwnLimits,
  rateLimit: RequestAllowanceServices['rateLimit'],
): Promise<void> | void {
  exchange.ownLimits = limits;
  const refuse = (error: unknown): never => {
    if (error instanceof RateLimitedError) setHeaders(exchange.response, error.headers);
    throw error;
  };
  try {
    const taken = rateLimit.take({ accountId, keyId, ownRate, accountRate: limits.requestsPerMinute }, exchange.id);
    if (taken instanceof Promise) return taken.then((headers) => setHeaders(exchange.response, headers)).catch(refuse);
    setHeaders(exchange.response, taken);
  } catch (error) {
    refuse(error);
  }
}
