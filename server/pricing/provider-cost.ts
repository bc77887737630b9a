/** What a provider takes of the operator. */
export interface ProviderCost {
  /** Picodollars for one token of the prompt: dollars for a million tokens, times 10^6. */
  readonly input: number;
  /** The same for one of the answer. */
  readonly output: number;
}

/** What routes cost from one time on. */
export interface CostPeriod {
  /** Until the next one begins. */
  readonly fromMs: number;
  /** Of the prices that were in force; 0: the settings and the file alone. */
  readonly priceVersion: number;
  /** By `costKey`. */
  readonly costs: ReadonlyMap<string, ProviderCost>;
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** For one token, at one dollar for a million. */
const picodollarsAtOneDollar = 1_000_000;
const picodollarsPerMillicredit = 1_000_000n;

/** @param model The public name of the model. @param provider The provider's id. */
export function costKey(model: string, provider: string): string {
  return `${provider} ${model}`;
}

/** @param dollars For a million tokens, with at most six decimals. */
export function toProviderCost({ input, output }: { readonly input: number; readonly output: number }): ProviderCost {
  return { input: Math.round(input * picodollarsAtOneDollar), output: Math.round(output * picodollarsAtOneDollar) };
}

/** Dollars for a million tokens, of picodollars for one. */
export function toDollarsForMillion(picodollars: number): number {
  return picodollars / picodollarsAtOneDollar;
}

/** What tokens cost, in picodollars: as many as no number holds exactly. */
export function costInPicodollars({ promptTokens, completionTokens }: Tokens, { input, output }: ProviderCost): bigint {
  return BigInt(promptTokens) * BigInt(input) + BigInt(completionTokens) * BigInt(output);
}

/** A dollar is 1,000 credits. Rounded to the nearest millicredit, half of one away from nothing. */
export function toCostMillicredits(picodollars: bigint): bigint {
  const half = picodollars < 0n ? -picodollarsPerMillicredit / 2n : picodollarsPerMillicredit / 2n;
  return (picodollars + half) / picodollarsPerMillicredit;
}
