import { AppError } from '../kernel/app-error.js';
import { isJsonObject, isSent, toText } from '../kernel/json-body.js';
import type { ReasoningEffort } from '../providers/chat-types.js';

// Budgets that are a little thought, some, and much.
const lowBudgetTokens = 2_048;
const mediumBudgetTokens = 8_192;

/** How much a model thinks that may think for so many tokens. */
export function toEffort(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= lowBudgetTokens) return 'low';
  return budgetTokens <= mediumBudgetTokens ? 'medium' : 'high';
}

/**
 * Refuses a kind of thinking that nobody here knows: left out, the model would think in another way than was asked.
 * @throws AppError `unsupported_value`, naming `thinking.type`.
 */
export function refuseUnknownThinking(thinking: unknown, known: readonly string[]): void {
  if (!isJsonObject(thinking) || !isSent(thinking.type) || known.includes(toText(thinking.type))) return;
  const param = 'thinking.type';
  const words = `Unsupported value: '${param}' must be one of ${known.map((type) => `"${type}"`).join(', ')}. Send "disabled" for as little thinking as the model can do.`;
  throw new AppError('unsupported_value', words, { param });
}
