import type { Clock } from '../kernel/clock.js';
import type { FoundModel, FoundProvider, ModelCatalogue } from '../providers/model-catalogue.js';

/** A catalogue and the time from which it is in force. */
export interface DatedCatalogue {
  /** Milliseconds since 1970-01-01 UTC, by this machine's clock. */
  readonly fromMs: number;
  readonly catalogue: ModelCatalogue;
}

/**
 * The catalogue that is in force now. What it hands out never changes: a call keeps the model that it found, with its price, its
 * providers and their keys, whatever is set meanwhile. To ask it costs one comparison more than to ask a catalogue.
 */
export class LiveCatalogue implements ModelCatalogue {
  #current: ModelCatalogue;
  /** In the order of their times. */
  #coming: readonly DatedCatalogue[] = [];

  constructor(
    first: ModelCatalogue,
    private readonly clock: Clock,
  ) {
    this.#current = first;
  }

  /** What is in force now, as one value for whoever asks it several things. */
  get now(): ModelCatalogue {
    const next = this.#coming[0];
    if (next !== undefined && this.clock.nowMs() >= next.fromMs) this.#moveOn();
    return this.#current;
  }

  get models(): readonly FoundModel[] {
    return this.now.models;
  }

  get providers(): readonly FoundProvider[] {
    return this.now.providers;
  }

  get unansweredModels(): readonly string[] {
    return this.now.unansweredModels;
  }

  findModel(name: string): FoundModel | null {
    return this.now.findModel(name);
  }

  /** Takes over what is in force from now on, and what comes to be at which time. */
  replace(current: ModelCatalogue, coming: readonly DatedCatalogue[] = []): void {
    this.#current = current;
    this.#coming = coming.toSorted((one, other) => one.fromMs - other.fromMs);
  }

  #moveOn(): void {
    const nowMs = this.clock.nowMs();
    const due = this.#coming.filter(({ fromMs }) => fromMs <= nowMs);
    this.#current = due.at(-1)?.catalogue ?? this.#current;
    this.#coming = this.#coming.slice(due.length);
  }
}
