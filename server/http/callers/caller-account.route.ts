import type { ApiKey } from '../../kernel/api-key.js';
import { AppError } from '../../kernel/app-error.js';
import { type Millicredits, toCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { SpendPeriod } from '../../kernel/spend-period.js';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import type { TokenRateLimit, TokenRates } from '../../limits/token-rate-limit.js';
import { type CallEstimate, estimateCall } from '../../proxy/metering/estimate-call.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import { decodeInputs } from '../../proxy/requests/decode-inputs.js';
import { limitsOf } from '../../proxy/requests/received-body.js';
import type { RequestParser } from '../../proxy/requests/request-parser.js';
import { readAttempts, readEstimateParts } from '../../usage/requests/call-reader.js';
import type { CallReceipt, ReceiptReader } from '../../usage/requests/receipt-reader.js';
import type { BodyMemory } from '../calls/body-memory.js';
import { type ProxyExchange, sendJson } from '../calls/proxy-exchange.js';
import { readBody } from '../calls/read-body.js';

/** What a caller may ask about its own account, besides making calls. */
export interface CallerAccountServices extends Pick<ProxyServices, 'catalogue' | 'findPriceMultiplier'> {
  readonly receipts: Pick<ReceiptReader, 'findReceipt' | 'sumCharges'>;
  readonly findBalance: (accountId: string) => Promise<{
    readonly availableMillicredits: Millicredits;
    readonly heldMillicredits: Millicredits;
  }>;
  readonly findKey: (accountId: string, keyId: string) => Promise<ApiKey | null>;
  /** Millicredits that the key was charged in the running day, week and month. */
  readonly findKeySpend: (accountId: string, keyId: string) => Promise<Readonly<Record<SpendPeriod, number>>>;
  readonly requestsPerMinute: number;
  /** Of an account and of each of its keys; null: no limit. */
  readonly tokenRates: TokenRates;
  readonly tokenRateLimit: Pick<TokenRateLimit, 'findRateOfKey'>;
  readonly callsAtOnce: { readonly account: number; readonly key: number | null };
  readonly bodyMemory: BodyMemory;
  readonly requestParser: RequestParser;
}

// OpenRouter's words.
const limitResets = { day: 'daily', week: 'weekly', month: 'monthly' } as const satisfies Record<SpendPeriod, string>;

type Answer = (exchange: ProxyExchange, key: AuthenticatedKey, services: CallerAccountServices) => Promise<void>;

const credits = (millicredits: number) => toCredits(toMillicredits(millicredits));

/** `GET …/credits`: OpenRouter's two sums, in credits, and what is available and reserved now. */
export const answerCredits: Answer = async (exchange, { accountId }, { receipts, findBalance }) => {
  const [balance, usedMillicredits] = await Promise.all([findBalance(accountId), receipts.sumCharges({ accountId })]);
  const { availableMillicredits, heldMillicredits } = balance;
  sendJson(exchange, {
    data: {
      total_credits: credits(availableMillicredits + heldMillicredits + usedMillicredits),
      total_usage: credits(usedMillicredits),
      available_credits: credits(availableMillicredits),
      reserved_credits: credits(heldMillicredits),
    },
  });
};

/** `GET …/key`: OpenRouter's description of the key that asks; without a limit of its own, what remains is the balance. */
export const answerKey: Answer = async (exchange, { accountId, keyId, permissions }, services) => {
  const { ownLimits } = exchange;
  const accountRate = ownLimits.requestsPerMinute ?? services.requestsPerMinute;
  const [key, usedMillicredits, balance, spend] = await Promise.all([
    services.findKey(accountId, keyId),
    services.receipts.sumCharges({ accountId, keyId }),
    services.findBalance(accountId),
    services.findKeySpend(accountId, keyId),
  ]);
  const { spendLimitMillicredits: limit, spendPeriod, requestsPerMinute, expiresAtMs } = permissions;
  const left = limit === null || spendPeriod === null ? balance.availableMillicredits : limit - spend[spendPeriod];
  sendJson(exchange, {
    data: {
      label: key?.maskedSecret ?? null,
      name: key?.name ?? null,
      usage: credits(usedMillicredits),
      usage_daily: credits(spend.day),
      usage_weekly: credits(spend.week),
      usage_monthly: credits(spend.month),
      limit: limit === null ? null : credits(limit),
      limit_remaining: credits(Math.max(0, left)),
      limit_reset: spendPeriod && limitResets[spendPeriod],
      expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
      scopes: permissions.scopes,
      is_free_tier: false,
      rate_limit: { requests: requestsPerMinute ?? accountRate, interval: '60s' },
      limits: {
        requests_per_minute: requestsPerMinute ?? accountRate,
        tokens_per_minute: services.tokenRateLimit.findRateOfKey(permissions.tokensPerMinute),
        concurrent_calls: services.callsAtOnce.key,
        account: {
          requests_per_minute: accountRate,
          tokens_per_minute: ownLimits.tokensPerMinute ?? services.tokenRates.account,
          concurrent_calls: ownLimits.concurrentCalls ?? services.callsAtOnce.account,
          models: ownLimits.models,
        },
      },
    },
  });
};

/**
 * `GET …/calls/{id}`: the receipt of one call.
 * @throws AppError `not_found`, also for the call of another account, and for one that is still running.
 */
export async function answerReceipt(
  exchange: ProxyExchange,
  { accountId }: AuthenticatedKey,
  { receipts }: CallerAccountServices,
  callId: string,
): Promise<void> {
  const receipt = await receipts.findReceipt(accountId, callId);
  if (receipt === null)
    throw new AppError('not_found', 'There is no such finished call in your account. Check the id.');
  sendJson(exchange, toReceiptObject(receipt));
}

/**
 * `POST …/estimate`: what a request of chat or embeddings would cost at most. Nothing is sent upstream, nothing held, nothing charged.
 * @throws AppError as the call itself would for a faulty body or an unknown model.
 */
export const answerEstimate: Answer = async (exchange, { accountId, proveStanding }, services) => {
  const { catalogue, findBalance, findPriceMultiplier, bodyMemory, requestParser } = services;
  const room = bodyMemory.open(accountId);
  let estimate: CallEstimate;
  try {
    const received = await readBody(exchange.request, room, { limits: limitsOf('embeddings') });
    const { request, asEmbeddings } = await requestParser.parse(received, { wire: 'estimate' });
    const isForVectors = asEmbeddings !== undefined && catalogue.findModel(request.model)?.embedding !== undefined;
    const asked = await decodeInputs(isForVectors ? asEmbeddings : request, services);
    estimate = estimateCall(asked, catalogue, await findPriceMultiplier(accountId));
  } finally {
    room.release();
  }
  await proveStanding?.();
  const { availableMillicredits } = await findBalance(accountId);
  sendJson(exchange, {
    object: 'estimate',
    model: estimate.modelId,
    tier: estimate.tier,
    prompt_tokens_max: estimate.promptTokensMax,
    output_tokens_max: estimate.outputTokensMax,
    choices: estimate.choices,
    credits_max: toCredits(estimate.maximumMillicredits),
    credits_min_to_begin: toCredits(estimate.minimumMillicredits),
    available_credits: toCredits(availableMillicredits),
    is_affordable: availableMillicredits >= estimate.minimumMillicredits,
  });
};

function toReceiptObject(receipt: CallReceipt): object {
  const { promptTokens, completionTokens, balanceAfterMillicredits: balance } = receipt;
  const parts = readEstimateParts(receipt);
  return {
    id: receipt.callId,
    object: 'call',
    model: receipt.model,
    provider: receipt.provider,
    stream: receipt.isStreamed,
    outcome: receipt.outcome,
    finish_reason: receipt.finishReason,
    tag: receipt.tag,
    end_user: receipt.endUser,
    error_code: receipt.errorCode,
    attempts: readAttempts(receipt).map(({ provider, upstreamModel, status, errorCode, startMs, durationMs }) => ({
      provider,
      upstream_model: upstreamModel,
      status,
      error_code: errorCode,
      start_ms: startMs ?? null,
      duration_ms: durationMs,
    })),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      cached_tokens: receipt.cachedTokens,
      reasoning_tokens: receipt.reasoningTokens,
      source: receipt.usageSource,
      estimate: parts && {
        prompt_tokens: parts.promptTokens,
        image_tokens: parts.imageTokens,
        visible_tokens: parts.visibleTokens,
        reasoning_tokens: parts.reasoningTokens,
      },
    },
    tier: receipt.tier,
    credits_per_1000_tokens: receipt.millicreditsPerToken,
    price_multiplier: receipt.priceMultiplier ?? listPriceMultiplier,
    credits_held: credits(receipt.heldMillicredits),
    credits_charged: credits(receipt.chargedMillicredits),
    credits_absorbed: credits(receipt.absorbedMillicredits),
    credits_after: balance === null ? null : credits(balance),
    started_at: new Date(receipt.startedAtMs).toISOString(),
    first_byte_ms: receipt.firstByteMs,
    total_ms: receipt.totalMs,
  };
}
