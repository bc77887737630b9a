import { toCredits, toMillicredits } from '../kernel/millicredits.js';
import type { CallRecord } from '../usage/requests/call-reader.js';
import type { KeptRefusal } from '../usage/requests/refusal-reader.js';
import type { WebhookEvent } from './webhook-events.js';

/** One call or refused request, as a message tells it. */
export interface CallEvent {
  readonly type: WebhookEvent;
  readonly id: string;
  readonly [fact: string]: unknown;
}

const eventsOfMessageMax = 100;
/** A message lies in a column of 65,535 bytes. */
const messageBytesMax = 60_000;

const isoTime = (epochMs: number) => new Date(epochMs).toISOString();
const asCredits = (millicredits: number) => toCredits(toMillicredits(millicredits));

/** A call that ended. Whoever left before the end is none that failed, as everywhere in reports. No prompt and no answer is in it. */
export function toCallEvent(call: CallRecord): CallEvent {
  const { callId: id, keyId: apiKeyId, model, provider, outcome, errorCode, finishReason, isStreamed } = call;
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, firstByteMs, totalMs, tag, endUser } = call;
  return {
    type: outcome === 'completed' || outcome === 'abandoned' ? 'call.completed' : 'call.failed',
    id,
    startedAt: isoTime(call.startedAtMs),
    apiKeyId,
    model,
    provider,
    outcome,
    errorCode,
    finishReason,
    isStreamed,
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens,
    usageSource: call.usageSource,
    chargedCredits: asCredits(call.chargedMillicredits),
    firstByteMs,
    totalMs,
    tag,
    endUser,
  };
}

/** Alike requests that were refused within seconds, before they became calls; free. */
export function toRefusalEvent(refusal: KeptRefusal): CallEvent {
  const { id, keyId: apiKeyId, status, errorCode, model, param, times, lastAtMs } = refusal;
  return {
    type: 'call.refused',
    id,
    apiKeyId,
    status,
    errorCode,
    model,
    param,
    times,
    lastAt: isoTime(lastAtMs),
  };
}

/** The events in their order, in as few lists as fit: each of at most 100 events and 60,000 bytes. */
export function packEvents(events: readonly CallEvent[]): CallEvent[][] {
  const lists: CallEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event)) + 1;
    const last = lists.at(-1);
    if (last === undefined || last.length >= eventsOfMessageMax || bytes + size > messageBytesMax) {
      lists.push([event]);
      bytes = size;
    } else {
      last.push(event);
      bytes += size;
    }
  }
  return lists;
}

/** What a list says in a sentence. */
export function describeEvents(events: readonly CallEvent[]): string {
  const count = (type: WebhookEvent) => events.filter((event) => event.type === type).length;
  const parts = [
    [count('call.completed'), 'completed'],
    [count('call.failed'), 'failed'],
    [count('call.refused'), 'refused'],
  ] as const;
  const words = parts.filter(([times]) => times > 0).map(([times, word]) => `${times} ${word}`);
  return words.length === 0 ? 'Calls: more than are told' : `Calls: ${words.join(', ')}`;
}
