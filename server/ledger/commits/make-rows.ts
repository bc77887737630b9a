import { countTokensFor, listPriceMultiplier, priceTokens } from '../../kernel/token-price.js';
import type { CallEnding, HoldInput } from '../ledger-types.js';
import type { CallRecordRow, HoldRow } from '../tables/ledger-rows.js';

/** The row of a hold that is being placed. */
export function makeHold(
  input: Pick<HoldInput, 'callId' | 'accountId' | 'keyId' | 'facts'>,
  {
    amount,
    instance,
    leaseUntilMs,
    spendPeriod,
  }: { amount: number; instance: string; leaseUntilMs: number; spendPeriod: string | null },
): HoldRow {
  const { facts } = input;
  const { priceMultiplier = listPriceMultiplier } = facts;
  return {
    id: input.callId,
    wallet: input.accountId,
    key_id: input.keyId,
    amount,
    state: 'open',
    posted: 0,
    progress_prompt_tokens: 0,
    progress_completion_tokens: 0,
    lease_until_ms: leaseUntilMs,
    instance,
    model: facts.model,
    provider: facts.provider,
    tier: facts.tier,
    millicredits_per_token: facts.millicreditsPerToken,
    is_streamed: facts.isStreamed ? 1 : 0,
    started_at_ms: facts.startedAtMs,
    spend_period: spendPeriod,
    price_multiplier: priceMultiplier === listPriceMultiplier ? null : priceMultiplier,
  };
}

/** What the tokens of an ending cost at the price that the hold has kept. */
export function costOf(
  hold: HoldRow,
  { promptTokens, completionTokens }: Pick<CallEnding, 'promptTokens' | 'completionTokens'>,
): number {
  return priceTokens(promptTokens + completionTokens, priceOf(hold));
}

function priceOf(hold: HoldRow) {
  return { millicreditsPerToken: hold.millicredits_per_token, priceMultiplier: hold.price_multiplier };
}

/** The receipt of a call that ended this way. */
export function makeCallRecord(
  hold: HoldRow,
  ending: CallEnding,
  { charged, absorbed }: { charged: number; absorbed: number },
): CallRecordRow {
  return {
    call_id: hold.id,
    account_id: hold.wallet,
    key_id: hold.key_id,
    model: hold.model,
    provider: ending.provider,
    tier: hold.tier,
    millicredits_per_token: hold.millicredits_per_token,
    is_streamed: hold.is_streamed,
    outcome: ending.outcome,
    error_code: ending.errorCode,
    finish_reason: ending.finishReason,
    usage_source: ending.usageSource,
    prompt_tokens: ending.promptTokens,
    completion_tokens: ending.completionTokens,
    held_millicredits: hold.amount,
    charged_millicredits: charged,
    absorbed_millicredits: absorbed,
    started_at_ms: hold.started_at_ms,
    first_byte_ms: ending.firstByteMs,
    total_ms: ending.totalMs,
    attempts: ending.attempts?.length ? JSON.stringify(ending.attempts) : null,
    estimate_parts: ending.estimateParts ? JSON.stringify(ending.estimateParts) : null,
    tag: ending.tag ?? null,
    end_user: ending.endUser ?? null,
    cached_tokens: ending.cachedTokens ?? null,
    reasoning_tokens: ending.reasoningTokens ?? null,
    lease: null,
    balance_after: null,
    price_multiplier: hold.price_multiplier,
  };
}

/** What is known of a call whose process is gone: its last sign of life, as far as the hold covers it. */
export function makeExpiredEnding(hold: HoldRow, nowMs: number): CallEnding {
  const tokensMax = countTokensFor(hold.amount, priceOf(hold));
  const promptTokens = Math.min(hold.progress_prompt_tokens, tokensMax);
  const completionTokens = Math.min(hold.progress_completion_tokens, tokensMax - promptTokens);
  return {
    outcome: 'expired',
    provider: hold.provider,
    errorCode: null,
    finishReason: null,
    usageSource: promptTokens + completionTokens > 0 ? 'estimated' : 'none',
    promptTokens,
    completionTokens,
    firstByteMs: null,
    // Clocks of two machines may differ, and a column holds 31 bits.
    totalMs: Math.min(Math.max(0, nowMs - hold.started_at_ms), 2_147_483_647),
  };
}
