import { createHash } from 'node:crypto';
import {
  type AttemptCounter,
  type AttemptRule,
  type AttemptStanding,
  MemoryAttemptCounter,
} from '../kernel/attempt-counter.js';
import type { SharedStoreWatch } from './stores/shared-store-watch.js';

/** A store of counts that all processes share. It knows attempts by what is made of their kind and name. */
export interface AttemptStore {
  count(id: string, rule: Pick<AttemptRule, 'max' | 'windowMs'>): Promise<AttemptStanding>;
  forgive(id: string): Promise<void>;
  forget(id: string): Promise<void>;
}

const refusalsRememberedMax = 10_000;

/**
 * The counter of one rule in a shared store. While that is away this process counts by itself, from nothing: attempts are always
 * counted somewhere. Where attempts are never taken back, the store is not asked again about a name that it has refused, so
 * whoever floods one limit costs the store no more than the limit; of several (`countInAll`), the others are still asked.
 */
export class SharedAttemptCounter implements AttemptCounter {
  readonly #own: MemoryAttemptCounter;
  readonly #refused = new Map<string, { readonly standing: AttemptStanding; readonly untilMs: number }>();

  constructor(
    private readonly rule: AttemptRule,
    private readonly store: AttemptStore,
    private readonly watch: SharedStoreWatch,
  ) {
    this.#own = new MemoryAttemptCounter(rule);
  }

  async count(name: string, max = this.rule.max): Promise<AttemptStanding> {
    const remembered = this.#findRefusal(name);
    if (remembered !== null) return remembered;
    const standing = await this.watch.ask(
      () => this.store.count(this.#idOf(name), { max, windowMs: this.rule.windowMs }),
      () => this.#own.count(name, max),
    );
    // One that only looked was told a wait in any case.
    if (max > 0 && standing.waitMs > 0 && this.rule.isFinal) this.#remember(name, standing);
    return standing;
  }

  // Taken back in one place: where the store is there, what this process has counted meanwhile stays. Else whoever signs in as often as they
  // like, and can have the store fail, would never come to the end of what is granted.
  async forgive(name: string): Promise<void> {
    await this.watch.ask(
      () => this.store.forgive(this.#idOf(name)),
      () => this.#own.forgive(name),
    );
  }

  async forget(name: string): Promise<void> {
    await this.#own.forget(name);
    await this.watch.ask(
      () => this.store.forget(this.#idOf(name)),
      async () => {},
    );
  }

  // Names are addresses of people and networks, which the store has no need to know.
  #idOf(name: string): string {
    return createHash('sha256').update(`${this.rule.kind} ${name}`).digest('hex');
  }

  #findRefusal(name: string): AttemptStanding | null {
    const refusal = this.#refused.get(name);
    if (refusal === undefined) return null;
    const waitMs = Math.ceil(refusal.untilMs - performance.now());
    if (waitMs > 0) return { ...refusal.standing, waitMs, endsInMs: waitMs };
    this.#refused.delete(name);
    return null;
  }

  #remember(name: string, standing: AttemptStanding): void {
    const [oldest] = this.#refused.size >= refusalsRememberedMax ? this.#refused.keys() : [];
    if (oldest !== undefined) this.#refused.delete(oldest);
    this.#refused.set(name, { standing, untilMs: performance.now() + standing.waitMs });
  }
}
