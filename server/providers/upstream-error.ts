import { AppError, type AppErrorOptions } from '../kernel/app-error.js';
import { toText } from '../kernel/json-body.js';
import {
  chooseRefusalCode,
  explainRefusal,
  findRequestCode,
  isOfOurKey,
  quoteRefusal,
  type RefusalCode,
  type RefusalFacts,
  sayExcess,
} from './read-refusal.js';

const retryAfterMsMax = 60_000;
const unsentRetryMs = 2_000;
const unreadable = 'sent an answer that cannot be read. Try again, or use another provider.';

/**
 * Says a provider's refusal in our own words. Only when the request itself is at fault is the provider quoted, shortened
 * and as far as it is words, numbers and names of fields; everything else it says is about our account with it and stays here.
 */
export function createRefusalError(facts: RefusalFacts): AppError {
  const code = chooseRefusalCode(facts);
  const innerReason = explainRefusal(facts);
  const options = {
    metadata: { provider: facts.providerId },
    innerReason,
    ...(facts.retryAfterMs === null ? {} : { retryAfterMs: Math.min(facts.retryAfterMs, retryAfterMsMax) }),
  };
  if (code !== 'provider_rejected') {
    const message = sentences[code](facts.providerId);
    return isOfOurKey(facts) ? new RouteFaultError(code, message, options) : new AppError(code, message, options);
  }

  const { message, param } = facts.words;
  const quote = sayExcess(facts.words) ?? (message === null ? '' : quoteRefusal(message, facts));
  const providerCode = findRequestCode(facts.words);
  return new AppError(
    code,
    quote === ''
      ? `Provider ${facts.providerId} refused this request. Check its parameters against what the model takes.`
      : `Provider ${facts.providerId} refused this request: ${quote}`,
    {
      innerReason,
      metadata: { provider: facts.providerId, ...(providerCode === null ? {} : { providerCode }) },
      ...(param !== null && /^[\w.[\]-]{1,100}$/.test(param) ? { param } : {}),
    },
  );
}

/**
 * A failure that no request can have brought about: none went out, or our key or account was refused. Whatever else a provider answers,
 * a 403 of its firewall, a 402 for want of credits for so long an answer and a 429 for so long a prompt too, one request may cause.
 */
export class RouteFaultError extends AppError {
  override readonly name: string = 'RouteFaultError';
}

/** The provider could not be reached, or broke off: nothing, or not all, of its answer came. */
export function createBrokenError(
  providerId: string,
  { hasBegun, cause }: { readonly hasBegun: boolean; readonly cause?: unknown },
): AppError {
  const what = hasBegun ? 'broke off in the middle of its answer' : 'could not be reached';
  return createProviderError(providerId, `${what}. Try again, or use another provider.`, { cause });
}

/**
 * No connection to the provider came about, so the request never went out. Where this machine had nothing left to open one
 * with, the provider is not to blame, and is not left alone for it: the code is `service_unavailable`, else `provider_error`, or
 * `provider_timeout` where connecting took too long.
 */
export function createUnsentError(providerId: string, cause: Error): AppError {
  if (!isOwnShortage(cause)) {
    const isTimeout = 'code' in cause && cause.code === 'UND_ERR_CONNECT_TIMEOUT';
    const { code, message, metadata } = isTimeout
      ? createTimeoutError(providerId)
      : createBrokenError(providerId, { hasBegun: false });
    return new RouteFaultError(code, message, { metadata: metadata ?? {}, cause });
  }
  const message = 'The server cannot open another connection right now. Nothing was charged. Try again shortly.';
  return new AppError('service_unavailable', message, { retryAfterMs: unsentRetryMs, cause });
}

/** The request did not go out, since nobody waits for its answer any more: nobody is to blame, least of all the provider. */
export function createUnwantedError(): AppError {
  return new AppError('service_unavailable', 'Nobody waits for the answer any more.');
}

// What the network says of the other side, or of the way to it. No other error of the system comes from there.
const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EPROTO', 'ETIMEDOUT', 'ENOTFOUND'],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH'],
]);

// Descriptors, ports, memory: the system's codes are one word; those of TLS, names and undici have an underscore.
function isOwnShortage(error: Error): boolean {
  const code = 'code' in error ? toText(error.code) : '';
  return /^E[A-Z]+$/.test(code) && !networkCodes.has(code);
}

/** The provider answered with something that is not an answer. @param innerReason What is wrong with it, for the operator. */
export function createUnreadableError(providerId: string, innerReason: string): AppError {
  return createProviderError(providerId, unreadable, { innerReason });
}

/** The provider let nobody in who has no certificate of theirs: by TLS 1.3 it says so when the request is out, and has read nothing of it. */
export class RefusedHandshakeError extends RouteFaultError {
  override readonly name = 'RefusedHandshakeError';
}

// What a server says of whoever shows it no certificate, or one that it does not take: alerts 40 to 46, 48, 49 and 116 of RFC 8446, 6.2. Any
// other may come amid a connection.
const handshakeAlert =
  /^ERR_SSL_.*_ALERT_(?:HANDSHAKE_FAILURE|(?:NO|BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED)$/;

/** @returns null: something else went wrong. */
export function findRefusedHandshake(providerId: string, cause: Error): RefusedHandshakeError | null {
  const code = 'code' in cause ? toText(cause.code) : '';
  if (!handshakeAlert.test(code)) return null;
  const { message, metadata } = createBrokenError(providerId, { hasBegun: false });
  const innerReason = `refused by TLS, ${code}: it may ask for a certificate of ours`;
  return new RefusedHandshakeError('provider_error', message, { metadata: metadata ?? {}, innerReason, cause });
}

/** The provider said something before its answer that our client of HTTP does not read past: the connection is closed by then. */
export class UnaskedInterimError extends AppError {
  override readonly name = 'UnaskedInterimError';
}

/**
 * What undici says where such a thing came. It has no code of its own for that, and nothing else before an answer has these words.
 * @returns null: something else went wrong.
 */
export function findUnaskedInterim(providerId: string, cause: Error): UnaskedInterimError | null {
  const isInterim =
    'code' in cause && cause.code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)$/.test(cause.message);
  if (!isInterim) return null;
  const innerReason = 'a 100 or 101 that was not asked for, before its answer';
  const message = `Provider ${providerId} ${unreadable}`;
  return new UnaskedInterimError('provider_error', message, { metadata: { provider: providerId }, innerReason, cause });
}

/** An answer of which no more is read: it has more of something than any answer needs. */
export class AnswerLimitError extends AppError {
  override readonly name = 'AnswerLimitError';
}

/**
 * The provider's answer passed a limit of ours, and we broke it off. Its caller is told what an unreadable one is told; but what
 * was made of it unseen has been made, as when its time runs out.
 * @param innerReason Which limit, for the operator.
 */
export function createBeyondLimitError(providerId: string, innerReason: string): AnswerLimitError {
  const message = `Provider ${providerId} ${unreadable}`;
  return new AnswerLimitError('provider_error', message, { metadata: { provider: providerId }, innerReason });
}

/** The model wrote more tool calls than any answer needs: no fault of its provider, which may have billed what was made of it unseen. */
export function createTooManyCallsError(providerId: string): AnswerLimitError {
  const message = `The model of provider ${providerId} made too many tool calls. Change the tools or the messages before you try again, or use another model.`;
  return new AnswerLimitError('model_error', message, {
    metadata: { provider: providerId },
    innerReason: 'too many tool calls',
  });
}

/**
 * The model made an invalid tool call, so that there is no answer, in an answer of its provider that can be read.
 * @param innerReason The provider's own word for it.
 */
export function createModelError(providerId: string, innerReason: string): AppError {
  const message = `The model of provider ${providerId} made an invalid tool call and gave no answer. Change the tools or the messages before you try again, or use another model.`;
  return new AppError('model_error', message, { metadata: { provider: providerId }, innerReason });
}

/** The provider reported a failure inside of an answer that had begun as a success. */
export function createInBandError(providerId: string, status: number | null, code: string | null): AppError {
  const words = { message: null, param: null, code };
  return createRefusalError({
    providerId,
    status: status ?? 500,
    retryAfterMs: null,
    words,
    apiKey: null,
    upstreamModel: null,
  });
}

/** The time that one call may take, which is ours to say, is over. */
export class TotalTimeError extends AppError {
  override readonly name = 'TotalTimeError';
}

/** The time of a whole call ran out. */
export function createTotalTimeError(providerId: string): TotalTimeError {
  const metadata = { provider: providerId };
  return new TotalTimeError('provider_timeout', sentences.provider_timeout(providerId), { metadata });
}

/** A limit of time ran out. */
export function createTimeoutError(providerId: string, cause?: unknown): AppError {
  return new AppError('provider_timeout', sentences.provider_timeout(providerId), {
    metadata: { provider: providerId },
    cause,
  });
}

function createProviderError(
  providerId: string,
  predicate: string,
  inside: Pick<AppErrorOptions, 'innerReason' | 'cause'>,
): AppError {
  const metadata = { provider: providerId };
  return new AppError('provider_error', `Provider ${providerId} ${predicate}`, { metadata, ...inside });
}

const sentences: Record<Exclude<RefusalCode, 'provider_rejected'>, (providerId: string) => string> = {
  provider_rate_limited: (id) =>
    `Provider ${id} is limiting our calls right now. Try again shortly, or use another provider.`,
  provider_unavailable: (id) => `Provider ${id} is unavailable until we fix it. Use another provider or model.`,
  provider_error: (id) => `Provider ${id} failed to answer. Try again, or use another provider.`,
  provider_overloaded: (id) => `Provider ${id} is overloaded. Try again shortly, or use another provider.`,
  provider_timeout: (id) => `Provider ${id} took too long to answer. Try again, or ask for a shorter answer.`,
};
