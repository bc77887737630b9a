import type { JsonLimits } from '../../kernel/json-gauge.js';
import type { ChatRequest } from '../chat-types.js';
import { createTooManyCallsError } from '../upstream-error.js';

/** Whatever was asked for: `JSON.parse` of so many holds the event loop for about a tenth of a second. */
const valuesMax = 1_000_000;
/** Whatever was asked for: far more than an answer in words has. */
const valuesMin = 100_000;
/** Arguments of a tool may be given as JSON: a token such as `],[` ends one list and begins the next. */
const valuesPerToken = 2;
/** A log probability with its token, the number and a list of 12 bytes: a long word in a script of two bytes a letter. */
const valuesPerLogprob = 16;
/** How many times as much is read before an answer is refused, since its provider bills it all the same. */
const slack = 2;
const levelsMax = 128;

type AskedOutput = Pick<ChatRequest, 'n' | 'max_completion_tokens'>;

/**
 * What an answer, or one event of it, may have in it: so much that an honest one to this request is never refused, and at most
 * 1,000,000 values. What is nested deeper than the levels is kept as text, see `foldDeepJson`.
 * @param logprobsPerToken As `ProviderAdapter.countLogprobs` says.
 */
export function findAnswerLimits(request: AskedOutput, logprobsPerToken: number): JsonLimits {
  const tokens = (request.n ?? 1) * (request.max_completion_tokens ?? Number.POSITIVE_INFINITY);
  const values = valuesMin + slack * tokens * findValuesPerToken(logprobsPerToken);
  return { valuesMax: Math.min(valuesMax, values), levelsMax };
}

/**
 * How many tokens each choice of an answer that comes in one piece may have, so that the whole can be read.
 * @returns infinity where nothing but words is asked for.
 */
export function findPlainTokensMax({ n: choices = 1 }: AskedOutput, logprobsPerToken: number): number {
  if (logprobsPerToken === 0) return Number.POSITIVE_INFINITY;
  return Math.floor((valuesMax - valuesMin) / (choices * findValuesPerToken(logprobsPerToken)));
}

function findValuesPerToken(logprobsPerToken: number): number {
  return valuesPerToken + valuesPerLogprob * logprobsPerToken;
}

/** Of one choice: more than any model writes, and what each costs to be told is bounded so. */
const callsPerChoiceMax = 1_024;

/** @throws AppError `model_error` for more calls of tools than one choice of an answer may have. */
export function refuseManyCalls(count: number, providerId: string): void {
  if (count > callsPerChoiceMax) throw createTooManyCallsError(providerId);
}
