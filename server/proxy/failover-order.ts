import type { Stopwatch } from '../kernel/clock.js';
import type { ProviderKey } from '../providers/key-ring.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';

/** Whom one call asks next: the targets in their order, and of one with several keys one key after the other, each once. */
export class FailoverOrder {
  #index = 0;
  #key: ProviderKey | null = null;
  #begunElapsedMs = 0;
  readonly #tried = new Set<string>();

  constructor(
    private readonly targets: readonly UpstreamTarget[],
    private readonly accountId: string,
    private readonly clock: Stopwatch,
  ) {}

  /** The target with the key of this attempt; null: all were asked. */
  next(): UpstreamTarget | null {
    for (let target = this.targets[this.#index]; target !== undefined; target = this.targets[this.#index]) {
      if (target.kind !== 'http' || target.keys === undefined) {
        this.#moveOn();
        return target;
      }
      this.#key = this.#pick(target);
      if (this.#key !== null) {
        this.#begunElapsedMs = this.clock.elapsedMs();
        this.#tried.add(this.#key.id);
        return { ...target, apiKey: this.#key.secret };
      }
      this.#moveOn();
    }
    return null;
  }

  /** Asks no further key of the target that was given last. */
  skipTarget(): void {
    if (this.#key !== null) this.#moveOn();
  }

  /** Is told that the attempt was answered: its key is well. */
  noteAnswer(): void {
    const target = this.targets[this.#index];
    if (this.#key === null || target?.kind !== 'http') return;
    const { upstreamModel, keys } = target;
    const use = { keyId: this.#key.id, upstreamModel, accountId: this.accountId };
    keys?.cooling.noteAnswer(use, this.#begunElapsedMs, this.clock.elapsedMs());
  }

  /**
   * Is told how the attempt failed: a key that was refused, or has reached its rate, cools down for a while (`KeyCooling` says for
   * whom); anything else ends the turn of this target.
   * @returns whether another key of the same target can be asked.
   */
  noteFailure(error: unknown): boolean {
    const target = this.targets[this.#index];
    if (this.#key === null || target?.kind !== 'http' || target.keys === undefined) return false;
    const { upstreamModel, keys } = target;
    const use = { keyId: this.#key.id, upstreamModel, accountId: this.accountId };
    if (!keys.cooling.noteFailure(use, error, this.clock.elapsedMs())) {
      this.skipTarget();
      return false;
    }
    return this.#pick(target) !== null;
  }

  #pick({ keys, upstreamModel }: Extract<UpstreamTarget, { kind: 'http' }>): ProviderKey | null {
    const call = { upstreamModel, accountId: this.accountId };
    return keys?.pick(this.#tried, call, this.clock.elapsedMs()) ?? null;
  }

  #moveOn(): void {
    this.#index += 1;
    this.#key = null;
    this.#tried.clear();
  }
}
