/** What was used in some stretch of time. Money in millicredits. */
export interface UsageSums {
  readonly calls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly chargedMillicredits: number;
}

export const noUse: UsageSums = {
  calls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  chargedMillicredits: 0,
};

/** The columns of the sums, in `usage_hour` and wherever else they are kept. */
export const sumColumns: Readonly<Record<keyof UsageSums, string>> = {
  calls: 'calls',
  failedCalls: 'failed_calls',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  chargedMillicredits: 'charged_millicredits',
};

/** The sums of two parts together. */
export function add(one: UsageSums, other: UsageSums): UsageSums {
  return {
    calls: one.calls + other.calls,
    failedCalls: one.failedCalls + other.failedCalls,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    chargedMillicredits: one.chargedMillicredits + other.chargedMillicredits,
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
  };
}

export function areSame(one: UsageSums, other: UsageSums): boolean {
  return (Object.keys(noUse) as (keyof UsageSums)[]).every((sum) => one[sum] === other[sum]);
}
