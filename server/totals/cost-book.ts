import { type CostPeriod, costKey, type ProviderCost } from '../pricing/provider-cost.js';
import { hourMs } from './totals-hours.js';

interface Route {
  readonly model: string;
  readonly provider: string;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What routes cost at each hour of a range. An hour has the costs that were in force when it began. */
export class CostBook {
  /** @param periods In the order of time; before the first one its costs hold, too. */
  constructor(private readonly periods: readonly CostPeriod[]) {}

  /** The costs of the hour that begins then; null: none are set. */
  findAt(atMs: number): CostPeriod | null {
    return this.periods.findLast(({ fromMs }) => fromMs <= atMs) ?? this.periods[0] ?? null;
  }

  findOfVersion(priceVersion: number): CostPeriod | null {
    return this.periods.find((period) => period.priceVersion === priceVersion) ?? null;
  }

  find(period: CostPeriod | null, { model, provider }: Route): ProviderCost | null {
    return period?.costs.get(costKey(model, provider)) ?? null;
  }

  /** A range in spans of at most this length, each of which has the costs of its beginning. */
  divide({ fromMs, toMs }: Span, lengthMsMax: number): readonly Span[] {
    const changes = this.periods.map((period) => Math.ceil(period.fromMs / hourMs) * hourMs);
    const spans: Span[] = [];
    for (let start = fromMs; start < toMs; ) {
      const end = Math.min(toMs, start + lengthMsMax, ...changes.filter((atMs) => atMs > start));
      spans.push({ fromMs: start, toMs: end });
      start = end;
    }
    return spans;
  }
}
