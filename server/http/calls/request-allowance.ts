import type { AccountLimits, OwnLimits } from '../../limits/account-limits.js';
import { RateLimitedError, type RequestOwner, type RequestRateLimit } from '../../limits/request-rate-limit.js';
import { type ProxyExchange, setHeaders } from './proxy-exchange.js';

export interface RequestAllowanceServices {
  readonly rateLimit: Pick<RequestRateLimit, 'take'>;
  readonly accountLimits: Pick<AccountLimits, 'find'>;
}

/**
 * Finds the limits of the caller's account and takes one request off its minute; the headers tell where the caller stands, also when it
 * is refused.
 * @returns null: it is done. Mostly the limits are remembered and the minute is at hand, and then a call waits for nothing.
 * @throws AppError as `RequestRateLimit.take` and `AccountLimits.find`.
 */
export function takeRequest(
  exchange: ProxyExchange,
  owner: Omit<RequestOwner, 'accountRate'>,
  { rateLimit, accountLimits }: RequestAllowanceServices,
): Promise<unknown> | null {
  const take = (ownLimits: OwnLimits) => takeWithin(exchange, owner, { rateLimit, ownLimits });
  const found = accountLimits.find(owner.accountId);
  return found instanceof Promise ? found.then(take) : take(found);
}

function takeWithin(
  exchange: ProxyExchange,
  { accountId, keyId, ownRate }: Omit<RequestOwner, 'accountRate'>,
  { rateLimit, ownLimits }: Pick<RequestAllowanceServices, 'rateLimit'> & { readonly ownLimits: OwnLimits },
): Promise<unknown> | null {
  exchange.ownLimits = ownLimits;
  const { response, id } = exchange;
  const tell = (headers: Readonly<Record<string, string>>) => setHeaders(response, headers);
  const tellRefusal = (error: unknown): never => {
    if (error instanceof RateLimitedError) tell(error.headers);
    throw error;
  };
  try {
    const accountRate = ownLimits.requestsPerMinute;
    const taken = rateLimit.take({ accountId, keyId, ownRate, accountRate }, id);
    if (taken instanceof Promise) return taken.then(tell, tellRefusal);
    tell(taken);
    return null;
  } catch (error) {
    return tellRefusal(error);
  }
}
