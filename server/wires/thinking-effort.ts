import type { ReasoningEffort } from '../providers/chat-types.js';

// Budgets that are a little thought, some, and much.
const lowBudgetTokens = 2_048;
const mediumBudgetTokens = 8_192;

/** How much a model thinks that may think for so many tokens. */
export function toEffort(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= lowBudgetTokens) return 'low';
  return budgetTokens <= mediumBudgetTokens ? 'medium' : 'high';
}
