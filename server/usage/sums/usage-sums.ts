/** What a call used, as it was summed from the beginning; by this it is told whether sums kept elsewhere are up to date. */
export interface LedgerSums {
  readonly calls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly chargedMillicredits: number;
}

/** What was used in some stretch of time. Money in millicredits. */
export interface UsageSums extends LedgerSums {
  /** Of how many of the calls the two below are known: all, or they tell too little, since a release that did not sum them wrote the others. */
  readonly toldCalls: number;
  /** Of the tokens in, those that providers said they read from their caches. */
  readonly cachedTokens: number;
  /** Of the tokens out, those that providers said were reasoned. */
  readonly reasoningTokens: number;
}

export const noUse: UsageSums = {
  calls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  chargedMillicredits: 0,
  toldCalls: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
};

/** The columns of the sums, in `usage_hour` and wherever else they are kept. */
export const ledgerColumns: Readonly<Record<keyof LedgerSums, string>> = {
  calls: 'calls',
  failedCalls: 'failed_calls',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  chargedMillicredits: 'charged_millicredits',
};

/** The columns of what is told of tokens. */
export const partColumns = { cachedTokens: 'cached_tokens', reasoningTokens: 'reasoning_tokens' } as const;

/** All columns of the sums in `usage_hour`. */
export const sumColumns: Readonly<Record<keyof UsageSums, string>> = {
  ...ledgerColumns,
  toldCalls: 'told_calls',
  ...partColumns,
};

/** Sums that grow. */
export type SumsSoFar = { -readonly [Sum in keyof UsageSums]: UsageSums[Sum] };

/** Adds to sums in their place, where making new ones for each of many rows would cost more than the adding. */
export function addTo(sums: SumsSoFar, more: UsageSums): void {
  sums.calls += more.calls;
  sums.failedCalls += more.failedCalls;
  sums.promptTokens += more.promptTokens;
  sums.completionTokens += more.completionTokens;
  sums.chargedMillicredits += more.chargedMillicredits;
  sums.toldCalls += more.toldCalls;
  sums.cachedTokens += more.cachedTokens;
  sums.reasoningTokens += more.reasoningTokens;
}

/** The sums of all parts together. */
export function sumUp(parts: readonly UsageSums[]): UsageSums {
  const sums = { ...noUse };
  for (const part of parts) addTo(sums, part);
  return sums;
}

/** Sums of the ledger together. */
export function sumLedgerSums(parts: readonly LedgerSums[]): LedgerSums {
  const {
    toldCalls: _,
    cachedTokens: _1,
    reasoningTokens: _2,
    ...sums
  } = sumUp(parts.map((part) => ({ ...noUse, ...part })));
  return sums;
}

/** What is left of all without a part; of how many calls tokens are told is known of it where it is known of all. */
export function subtract(all: UsageSums, part: UsageSums): UsageSums {
  const calls = all.calls - part.calls;
  return {
    calls,
    failedCalls: all.failedCalls - part.failedCalls,
    promptTokens: all.promptTokens - part.promptTokens,
    completionTokens: all.completionTokens - part.completionTokens,
    chargedMillicredits: all.chargedMillicredits - part.chargedMillicredits,
    toldCalls: all.toldCalls === all.calls ? calls : 0,
    cachedTokens: all.cachedTokens - part.cachedTokens,
    reasoningTokens: all.reasoningTokens - part.reasoningTokens,
  };
}

/** The sums of a raw row. MySQL gives sums as text. */
export function toUsageSums(row: Readonly<Record<string, unknown>>): UsageSums {
  return {
    calls: Number(row.calls),
    failedCalls: Number(row.failedCalls),
    promptTokens: Number(row.promptTokens),
    completionTokens: Number(row.completionTokens),
    chargedMillicredits: Number(row.chargedMillicredits),
    toldCalls: Number(row.toldCalls),
    cachedTokens: Number(row.cachedTokens),
    reasoningTokens: Number(row.reasoningTokens),
  };
}

/** Whether the ledger counted the same in both. What is told of tokens follows from it, where it is known. */
export function areSame(one: LedgerSums, other: LedgerSums): boolean {
  return (Object.keys(ledgerColumns) as (keyof LedgerSums)[]).every((sum) => one[sum] === other[sum]);
}
