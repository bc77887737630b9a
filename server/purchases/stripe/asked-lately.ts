import { AsyncLocalStorage } from 'node:async_hooks';
import type { Stopwatch } from '../../kernel/clock.js';
import { loadStripe, type StripeHttpClient } from './load-stripe.js';

/** Stripe forgets an idempotency key after a day; whoever asks again by it later looks first for what was made. */
const sentForMsMax = 60 * 60_000;

/**
 * Keeps whatever was asked more than an hour ago from being sent to Stripe. Its library sends a request again whose connection broke, also
 * where that was because the machine slept, be it for days. Stripe has forgotten its key then, and would move the money once more.
 */
export class AskedLately {
  readonly #askedElapsedMs = new AsyncLocalStorage<number>();
  #running = 0;

  constructor(private readonly clock: Stopwatch) {}

  /** Runs what asks Stripe, from now on. */
  async during<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    this.#running += 1;
    try {
      return await this.#askedElapsedMs.run(this.clock.elapsedMs(), request);
    } finally {
      this.#running -= 1;
      // Until Node 24 a storage in use is asked at every promise of the process, so that each call of the proxy pays for it.
      if (this.#running === 0) this.#askedElapsedMs.disable();
    }
  }

  /** The client of HTTP for Stripe's library. It rejects instead of sending what `during` has run for longer than an hour. */
  createHttpClient(): StripeHttpClient {
    const plain = loadStripe().createNodeHttpClient();
    return {
      getClientName: () => plain.getClientName(),
      makeRequest: async (...request) => {
        const askedElapsedMs = this.#askedElapsedMs.getStore() ?? this.clock.elapsedMs();
        if (this.clock.elapsedMs() - askedElapsedMs > sentForMsMax)
          throw new Error('This was asked too long ago to be sent to Stripe now.');
        return plain.makeRequest(...request);
      },
    };
  }
}
