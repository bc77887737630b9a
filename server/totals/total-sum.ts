import { costInPicodollars, type ProviderCost, toCostMillicredits } from '../pricing/provider-cost.js';

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

export type UseOfTokens = Pick<Use, 'calls' | 'promptTokens' | 'completionTokens'>;

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
  #callsWithoutCost = 0;
  #costPicodollars = 0n;

  /** @param cost null: it is not set. */
  add(use: Use, cost: ProviderCost | null): void {
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
    if (cost !== null) this.#costPicodollars += costInPicodollars(use, cost);
    else if (use.promptTokens !== 0 || use.completionTokens !== 0) this.#callsWithoutCost += use.calls;
  }

  addSum(other: TotalSum): void {
    this.addUse(other.toTotal(''));
    this.#callsWithoutCost += other.#callsWithoutCost;
    this.#costPicodollars += other.#costPicodollars;
  }

  toTotal(name: string): UsageTotal {
    const cost = toCostMillicredits(this.#costPicodollars);
    return {
      name,
      calls: this.#calls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      charged: this.#charged,
      absorbed: this.#absorbed,
      cost,
      callsWithoutCost: this.#callsWithoutCost,
      margin: this.#callsWithoutCost === 0 ? this.#charged - cost : null,
    };
  }
}
