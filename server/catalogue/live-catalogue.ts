import type { Clock } from '../kernel/clock.js';
import type { FoundModel, FoundProvider, ModelCatalogue } from '../providers/model-catalogue.js';

/** A catalogue and the time from which it is in force. */
export interface DatedCatalogue {
  /** Milliseconds since 1970-01-01 UTC, by this machine's clock. */
  readonly fromMs: number;
  readonly catalogue: ModelCatalogue;
}

const always = Number.NEGATIVE_INFINITY;

/**
 * The catalogue that is in force now. What it hands out never changes: a call keeps the model that it found, with its price, its
 * providers and their keys, whatever is set meanwhile. To ask it costs one comparison more than to ask a catalogue.
 */
export class LiveCatalogue implements ModelCatalogue {
  #inForce: DatedCatalogue;
  /** When another one comes into force. */
  #untilMs = Number.POSITIVE_INFINITY;
  /** In the order of their times, with those that were in force before: a clock that is ahead is set back again. */
  #all: readonly DatedCatalogue[];

  constructor(
    first: ModelCatalogue,
    private readonly clock: Clock,
  ) {
    this.#inForce = { fromMs: always, catalogue: first };
    this.#all = [this.#inForce];
  }

  /** What is in force now, as one value for whoever asks it several things. */
  get now(): ModelCatalogue {
    if (this.#all.length > 1) this.#goBy(this.clock.nowMs());
    return this.#inForce.catalogue;
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
    this.#inForce = { fromMs: always, catalogue: current };
    this.#untilMs = always;
    this.#all = [this.#inForce, ...coming.toSorted((one, other) => one.fromMs - other.fromMs)];
  }

  #goBy(nowMs: number): void {
    if (nowMs >= this.#inForce.fromMs && nowMs < this.#untilMs) return;
    this.#inForce = this.#all.findLast(({ fromMs }) => fromMs <= nowMs) ?? this.#inForce;
    this.#untilMs = this.#all.find(({ fromMs }) => fromMs > nowMs)?.fromMs ?? Number.POSITIVE_INFINITY;
  }
}
