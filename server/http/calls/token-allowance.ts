import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import { RateLimitedError } from '../../limits/request-rate-limit.js';
import type { TakenTokens, TokenRateLimit } from '../../limits/token-rate-limit.js';
import type { ChatCompletionChunk, ChatRequest } from '../../providers/chat-types.js';
import { estimateTokens } from '../../proxy/metering/estimate-call.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import type { RunCall } from './answer-call.js';
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

/** The same call, with its estimate corrected by what it used; one that broke off after its first piece keeps it. */
export function correctTokens(run: RunCall, taken: TakenTokens): RunCall {
  return async (sink) => {
    let used: number | null = 0;
    const notePiece = (chunk: ChatCompletionChunk) => {
      used = null;
      return sink.chunk(chunk);
    };
    try {
      const answer = await run({
        get hasTold() {
          return sink.hasTold;
        },
        admitted: (loweredOutputCap) => sink.admitted(loweredOutputCap),
        chunk: notePiece,
        whole: (event) => sink.whole(event),
      });
      used = answer.bill.tokens.inputTokens + answer.bill.tokens.outputTokens;
      return answer;
    } finally {
      if (used !== null) await taken.correct(used);
    }
  };
}
