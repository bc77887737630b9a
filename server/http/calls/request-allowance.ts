import type { AccountLimits } from '../../limits/account-limits.js';
import { RateLimitedError, type RequestOwner, type RequestRateLimit } from '../../limits/request-rate-limit.js';
import { type ProxyExchange, setHeaders } from './proxy-exchange.js';

export interface RequestAllowanceServices {
  readonly rateLimit: Pick<RequestRateLimit, 'take'>;
  readonly accountLimits: Pick<AccountLimits, 'find'>;
}

/**
 * Finds the limits of the caller's account and takes one request off its minute; the headers tell where the caller stands, also when it
 * is refused.
 * @throws AppError as `RequestRateLimit.take` and `AccountLimits.find`.
 */
export async function takeRequest(
  exchange: ProxyExchange,
  owner: Omit<RequestOwner, 'accountRate'>,
  { rateLimit, accountLimits }: RequestAllowanceServices,
): Promise<void> {
  const found = accountLimits.find(owner.accountId);
  // Mostly they are remembered, and then a call waits for nothing.
  exchange.ownLimits = found instanceof Promise ? await found : found;
  const accountRate = exchange.ownLimits.requestsPerMinute;
  try {
    setHeaders(exchange.response, await rateLimit.take({ ...owner, accountRate }, exchange.id));
  } catch (error) {
    if (error instanceof RateLimitedError) setHeaders(exchange.response, error.headers);
    throw error;
  }
}
