import { costInPicodollars, costKey, type ProviderCost, toCostMillicredits } from '../pricing/provider-cost.js';

/** What was used; money in millicredits. A sum over accounts has no bound of one account, so its money is `bigint`. */
export interface Use {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly charged: bigint;
  readonly absorbed: bigint;
}

/** What all accounts used, or a part of it. */
export interface UsageTotal extends Use {
  /** The model, the provider, the account's id, or the day as `2026-01-31`. */
  readonly name: string;
  /** What providers took for it, as far as their costs are set: in millicredits, of which a dollar has 1,000,000. */
  readonly cost: bigint;
  /** Calls with tokens whose cost is not set; with any, `cost` is not all. */
  readonly callsWithoutCost: number;
  /** Charged less cost; null where a part of the cost is not set. */
  readonly margin: bigint | null;
}

/** Tokens of one model at one provider. */
export interface UseOfTokens extends Pick<Use, 'calls' | 'promptTokens' | 'completionTokens'> {
  readonly model: string;
  readonly provider: string;
}

/** For an order by sums: below 0 where the first one is smaller. */
export function compareSums(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A sum in the making. */
export class TotalSum {
  #calls = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  #charged = 0n;
  #absorbed = 0n;
  #callsWithoutCostOfOthers = 0;
  /** What has no cost, by model and provider. Of one of them several rows may come, and what came late of it may have calls alone, or fewer of them. */
  readonly #withoutCost = new Map<string, { calls: number; tokens: number }>();
  #costPicodollars = 0n;

  /** @param cost null: it is not set. */
  add(use: Use & UseOfTokens, cost: ProviderCost | null): void {
    this.addUse(use);
    this.addCost(use, cost);
  }

  addUse(use: Use): void {
    this.#calls += use.calls;
    this.#promptTokens += use.promptTokens;
    this.#completionTokens += use.completionTokens;
    this.#charged += use.charged;
    this.#absorbed += use.absorbed;
  }

  addCost(use: UseOfTokens, cost: ProviderCost | null): void {
    if (cost !== null) {
      this.#costPicodollars += costInPicodollars(use, cost);
      return;
    }
    const route = costKey(use.model, use.provider);
    const { calls, tokens } = this.#withoutCost.get(route) ?? { calls: 0, tokens: 0 };
    this.#withoutCost.set(route, {
      calls: calls + use.calls,
      tokens: tokens + use.promptTokens + use.completionTokens,
    });
  }

  addSum(other: TotalSum): void {
    this.addUse(other.toTotal(''));
    this.#callsWithoutCostOfOthers += other.#callsWithoutCost;
    this.#costPicodollars += other.#costPicodollars;
  }

  get #callsWithoutCost(): number {
    const withTokens = [...this.#withoutCost.values()].filter(({ tokens }) => tokens !== 0);
    return withTokens.reduce((sum, { calls }) => sum + calls, this.#callsWithoutCostOfOthers);
  }

  toTotal(name: string): UsageTotal {
    const cost = toCostMillicredits(this.#costPicodollars);
    const callsWithoutCost = this.#callsWithoutCost;
    return {
      name,
      calls: this.#calls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      charged: this.#charged,
      absorbed: this.#absorbed,
      cost,
      callsWithoutCost,
      margin: callsWithoutCost === 0 ? this.#charged - cost : null,
    };
  }
}
