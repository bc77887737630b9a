import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import { RateLimitedError } from '../../limits/request-rate-limit.js';
import type { TakenTokens, TokenRateLimit } from '../../limits/token-rate-limit.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { estimateTokens } from '../../proxy/metering/estimate-call.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import type { ProxyEvent } from '../../proxy/proxy-chat-completion.js';
import { type ProxyExchange, setHeaders } from './proxy-exchange.js';

export interface TokenAllowanceServices extends Pick<ProxyServices, 'catalogue'> {
  readonly tokenRateLimit: TokenRateLimit;
}

/**
 * Takes what a call will about use off its caller's minute of tokens, where there is such a limit, and tells by the headers where
 * the caller stands, also when it is refused.
 * @returns null: nothing is limited.
 * @throws AppError as `TokenRateLimit.take`, and for an image that the model does not take.
 */
export function takeTokens(
  exchange: ProxyExchange,
  call: CallToAllow,
  services: TokenAllowanceServices,
): TakenTokens | null | Promise<TakenTokens | null> {
  const ownRate = call.key.permissions.tokensPerMinute;
  const accountRate = exchange.ownLimits.tokensPerMinute;
  return services.tokenRateLimit.isOnFor({ ownRate, accountRate }) ? takeLimited(exchange, call, services) : null;
}

interface CallToAllow {
  readonly key: AuthenticatedKey;
  readonly request: ChatRequest;
}

async function takeLimited(
  { response, ownLimits }: ProxyExchange,
  { key, request }: CallToAllow,
  { catalogue, tokenRateLimit }: TokenAllowanceServices,
): Promise<TakenTokens | null> {
  const owner = { ...key, ownRate: key.permissions.tokensPerMinute, accountRate: ownLimits.tokensPerMinute };
  const tokens = estimateTokens(request, catalogue);
  // A model that nobody knows is refused by the call itself.
  if (tokens === null) return null;
  try {
    const taken = await tokenRateLimit.take(owner, tokens);
    setHeaders(response, taken.headers);
    return taken;
  } catch (error) {
    if (error instanceof RateLimitedError) setHeaders(response, error.headers);
    throw error;
  }
}

/** Hands a call's events on, and corrects its estimate by what it used; a call that broke off after its first piece keeps it. */
export async function* correctTokens(
  events: AsyncGenerator<ProxyEvent>,
  taken: TakenTokens,
): AsyncGenerator<ProxyEvent> {
  let used: number | null = 0;
  try {
    for await (const event of events) {
      if (event.type === 'billed') used = event.bill.tokens.inputTokens + event.bill.tokens.outputTokens;
      else if (event.type !== 'admitted') used = null;
      yield event;
    }
  } finally {
    if (used !== null) await taken.correct(used);
  }
}
