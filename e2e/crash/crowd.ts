import { setTimeout as sleep } from 'node:timers/promises';
import type { CrashSite } from './crash-site.js';
import type { WantedCall } from './make-call.js';
import { createRandom, type Random } from './seeded-random.js';

/** Callers who call without a pause, plain and streamed, short and long, until they are told to stop. */
export class Crowd {
  #isStopped = false;
  readonly #callers: Promise<void>[];

  /** Each caller is one of the site's customers; several callers share one. */
  constructor(
    private readonly site: CrashSite,
    { callers, seed }: { callers: number; seed: number },
  ) {
    this.#callers = Array.from({ length: callers }, (_, index) => this.#keepCalling(index, createRandom(seed + index)));
  }

  /** Nobody begins another call after this; those who are in one see its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#callers);
  }

  async #keepCalling(index: number, random: Random): Promise<void> {
    const { customers } = this.site;
    while (!this.#isStopped) {
      // The first customer has half of all callers, so that one wallet is hot.
      const customer = customers[index % 2 === 0 ? 0 : index % customers.length];
      if (!customer) throw new Error('The site has no customers.');
      const { outcome } = await this.site.call(customer, wishFor(random));
      if (outcome !== 'whole') await sleep(10);
    }
  }
}

function wishFor(random: Random): WantedCall {
  const isStreamed = random(2) === 0;
  return {
    model: random(3) === 0 ? 'gpt-4o' : 'gpt-4o-mini',
    isStreamed,
    tokens: 1 + random(20),
    delayMs: random(8),
    leaveAfterBytes: isStreamed && random(20) === 0 ? 1 + random(1_000) : null,
  };
}
