import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { nearestRank, sorted } from '../reports/answer-times.js';
import { readServiceSamples, type ServiceSample } from './service-samples.js';

/** How something did. Times in milliseconds; null: not measured yet. */
export interface ServiceFigures {
  /** How many of a hundred attempts were answered, cut to two decimals. */
  readonly uptimePercent: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** To the first byte of the answer. */
  readonly firstByteP50Ms: number | null;
}

export interface ProviderMeasures extends ServiceFigures {
  readonly provider: string;
  /** The last 30 days in UTC, the oldest first. */
  readonly days: readonly { readonly startMs: number; readonly uptimePercent: number | null }[];
  readonly models: readonly (ServiceFigures & { readonly model: string })[];
}

export interface ServiceReport {
  readonly measuredAtMs: number;
  readonly providers: readonly ProviderMeasures[];
}

/** Asks the replica where there is one. */
export type ReadReports = <Result>(read: (unitOfWork: UnitOfWork) => Promise<Result>) => Promise<Result>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const measuredDays = 30;
const keptMs = 60_000;
/** Calls may run for so long after their hour; what is later still is not counted. */
const settledAfterMs = 15 * 60_000;
const hoursPerQuery = 12;
/** Fewer attempts tell more of a single caller than of a provider. */
const attemptsMin = 10;

/**
 * How providers did in the last 30 days, by the calls of all accounts: shares and times, no counts and nothing of any account. Of each
 * hour at most 100 calls are looked at, once; past hours stay in memory, some megabytes at most. A report is a minute old at most, and
 * all who ask within that minute share one.
 */
export class ServiceMeasures {
  readonly #hours = new Map<number, readonly ServiceSample[]>();
  #report: ServiceReport | null = null;
  #measuredElapsedMs = 0;
  #renewal: Promise<ServiceReport> | null = null;

  constructor(
    private readonly read: ReadReports,
    private readonly clock: Clock,
  ) {}

  /** @throws the database's error when nothing was measured before; later ones leave the report as old as it says. */
  async measure(): Promise<ServiceReport> {
    const known = this.#report;
    if (known !== null && this.clock.elapsedMs() - this.#measuredElapsedMs < keptMs) return known;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    // Whoever asks while a minute's report is made anew takes the one before.
    if (known === null) return this.#renewal;
    this.#renewal.catch(() => undefined);
    return known;
  }

  async #renew(): Promise<ServiceReport> {
    const [nowMs, elapsedMs] = [this.clock.nowMs(), this.clock.elapsedMs()];
    const firstMs = nowMs - (nowMs % dayMs) - (measuredDays - 1) * dayMs;
    for (const startMs of this.#hours.keys()) if (startMs < firstMs) this.#hours.delete(startMs);
    const missing: number[] = [];
    for (let startMs = nowMs - (nowMs % hourMs); startMs >= firstMs; startMs -= hourMs) {
      if (!this.#hours.has(startMs)) missing.push(startMs);
    }
    const running = new Map<number, readonly ServiceSample[]>();
    while (missing.length > 0) {
      const hours = missing.splice(0, hoursPerQuery);
      for (const [startMs, samples] of await this.read((unitOfWork) => readServiceSamples(unitOfWork, hours))) {
        const isOver = startMs + hourMs + settledAfterMs <= nowMs;
        (isOver ? this.#hours : running).set(startMs, samples);
      }
      // SQLite answers on this thread.
      await nextTurn();
    }
    const all = [...this.#hours, ...running];
    this.#measuredElapsedMs = elapsedMs;
    this.#report = { measuredAtMs: nowMs, providers: await summariseProviders(all, firstMs) };
    return this.#report;
  }
}

type Hour = readonly [startMs: number, samples: readonly ServiceSample[]];

/** What is summed up between two turns of the event loop: a millisecond of work. */
const hoursPerTurn = 100;

/** Attempts at one provider, or at one of its models, and how they went. */
class Tally {
  readonly #totals: number[] = [];
  readonly #firstBytes: number[] = [];
  #asked = 0;
  #answered = 0;

  add({ isAnswered, totalMs, firstByteMs }: ServiceSample): void {
    this.#asked += 1;
    if (isAnswered) this.#answered += 1;
    if (totalMs !== null) this.#totals.push(totalMs);
    if (firstByteMs !== null) this.#firstBytes.push(firstByteMs);
  }

  // Cut, so that 100 says that none failed.
  get uptimePercent(): number | null {
    return this.#asked < attemptsMin ? null : Math.floor((this.#answered * 10_000) / this.#asked) / 100;
  }

  get figures(): ServiceFigures {
    const [totals, firstBytes] = [sorted(this.#totals), sorted(this.#firstBytes)];
    const rank = (times: ArrayLike<number>, share: number) =>
      times.length < attemptsMin ? null : nearestRank(times, share);
    return {
      uptimePercent: this.uptimePercent,
      p50Ms: rank(totals, 0.5),
      p95Ms: rank(totals, 0.95),
      firstByteP50Ms: rank(firstBytes, 0.5),
    };
  }
}

interface ProviderTallies {
  readonly all: Tally;
  readonly days: readonly Tally[];
  readonly models: Map<string, Tally>;
}

async function summariseProviders(hours: readonly Hour[], firstMs: number): Promise<readonly ProviderMeasures[]> {
  const providers = new Map<string, ProviderTallies>();
  for (const [at, [startMs, samples]] of hours.entries()) {
    if (at % hoursPerTurn === 0) await nextTurn();
    const day = Math.floor((startMs - firstMs) / dayMs);
    for (const sample of samples) {
      const { all, days, models } = takeOrMake(providers, sample.provider, makeTallies);
      for (const tally of [all, days[day], takeOrMake(models, sample.model, () => new Tally())]) tally?.add(sample);
    }
  }
  const measures: ProviderMeasures[] = [];
  for (const [provider, { all, days, models }] of [...providers].sort(byName)) {
    await nextTurn();
    measures.push({
      provider,
      ...all.figures,
      days: days.map(({ uptimePercent }, at) => ({ startMs: firstMs + at * dayMs, uptimePercent })),
      models: [...models].sort(byName).map(([model, tally]) => ({ model, ...tally.figures })),
    });
  }
  return measures;
}

function makeTallies(): ProviderTallies {
  return { all: new Tally(), days: Array.from({ length: measuredDays }, () => new Tally()), models: new Map() };
}

function takeOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
