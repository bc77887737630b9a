import type { UpstreamEvent } from '../provider-adapter.js';

/** Takes a provider's answer, event by event, in the order of `UpstreamEvent`. */
export interface EventTaker {
  /** @returns what is waited for before anything more is read of the provider; null: nothing. */
  take(event: UpstreamEvent): Promise<void> | null;
  /** Whether it wants no more, which is asked after each event: the request is then broken off. */
  readonly hasEnough: boolean;
}

/** Hands these on, one after the other, as long as they are wanted. */
export async function giveAll(events: Iterable<UpstreamEvent>, taker: EventTaker): Promise<void> {
  for (const event of events) {
    const waiting = taker.take(event);
    if (waiting !== null) await waiting;
    if (taker.hasEnough) return;
  }
}
