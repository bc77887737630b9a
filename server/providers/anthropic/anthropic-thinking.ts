import type { ChatRequest, ReasoningEffort } from '../chat-types.js';
import type { AnthropicThinking } from './anthropic-types.js';
import type { ClaudeCapabilities, ClaudeEffort } from './claude-models.js';

export interface ThinkingFacts extends ThinkingWish {
  /** What `max_tokens` will be. */
  readonly outputCap: number;
  readonly capabilities: ClaudeCapabilities;
  /** A tool is forced, which does not go together with thinking. */
  readonly isToolForced: boolean;
  /** The turn in progress called tools, and the thinking before those calls did not come back to us. */
  readonly isThinkingLost: boolean;
}

export interface ThinkingWish {
  readonly effort: ReasoningEffort | undefined;
  /** Whether thinking is asked for; an effort may come without it. */
  readonly isWanted: boolean;
  /** Whether it is asked for between calls of tools alone. */
  readonly isBetweenTools: boolean;
}

export interface ThinkingChoice {
  readonly thinking: AnthropicThinking | null;
  readonly effort: ClaudeEffort | null;
  /** Whether the model will think, so that sampling may not be sent. */
  readonly isThinking: boolean;
}

const budgetTokensMin = 1_024;
const shareOfCap: Readonly<Record<ClaudeEffort, number>> = { low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.6, max: 0.6 };

/** Thinking that is asked for without an effort has the one that Anthropic takes then. */
export function findThinkingWish(request: ChatRequest): ThinkingWish {
  const { reasoning_effort: asked, isThinkingAsked, isThinkingBetweenTools: isBetweenTools = false } = request;
  const effort = asked ?? (isThinkingAsked ? 'high' : undefined);
  return { effort, isWanted: effort !== undefined && effort !== 'none' && isThinkingAsked !== false, isBetweenTools };
}

/** Says `reasoning_effort` the way this model understands it. Without it, the model does what it does by default. */
export function chooseThinking(facts: ThinkingFacts): ThinkingChoice {
  const { effort, isWanted, isBetweenTools, capabilities, isToolForced } = facts;
  if (isBetweenTools) return turnOff(facts);
  const isOnUnasked = capabilities.thinkingOff !== 'unsaid';
  if (effort === undefined && !(isOnUnasked && isToolForced)) {
    return { thinking: null, effort: null, isThinking: isOnUnasked };
  }
  if (effort === undefined || effort === 'none' || isToolForced) return turnOff(facts);
  if (!isWanted) {
    return { thinking: null, effort: clampEffort(toClaudeEffort(effort), capabilities), isThinking: isOnUnasked };
  }
  if (capabilities.thinking === 'budget') return budget(facts, toClaudeEffort(effort));
  if (capabilities.thinking === 'none') return { thinking: null, effort: null, isThinking: false };
  return {
    // Newer models leave the text of their thinking out unless it is asked for.
    thinking: { type: 'adaptive', display: 'summarized' },
    effort: clampEffort(toClaudeEffort(effort), capabilities),
    isThinking: true,
  };
}

function turnOff({ effort, capabilities }: ThinkingFacts): ThinkingChoice {
  const { thinkingOff } = capabilities;
  if (thinkingOff === 'unsaid') return { thinking: null, effort: null, isThinking: false };
  if (thinkingOff === 'never') return { thinking: null, effort: 'low', isThinking: true };
  // Without thinking, an effort above high is answered with an error.
  const wanted = effort === undefined || effort === 'none' ? null : toClaudeEffort(effort);
  const kept = wanted === 'xhigh' || wanted === 'max' ? 'high' : wanted;
  return { thinking: { type: thinkingOff }, effort: kept, isThinking: thinkingOff === 'between_tools' };
}

// A budget is a part of `max_tokens`. Other gateways raise `max_tokens` by it; here that cap was priced and held, so the budget
// shrinks instead. Where the least budget would leave the answer less than half, there is no thinking.
function budget({ outputCap, isThinkingLost }: ThinkingFacts, effort: ClaudeEffort): ThinkingChoice {
  if (isThinkingLost || outputCap < 2 * budgetTokensMin) return { thinking: null, effort: null, isThinking: false };
  const budgetTokens = Math.max(budgetTokensMin, Math.floor(outputCap * shareOfCap[effort]));
  return { thinking: { type: 'enabled', budget_tokens: budgetTokens }, effort: null, isThinking: true };
}

function toClaudeEffort(effort: Exclude<ReasoningEffort, 'none'>): ClaudeEffort {
  return effort === 'minimal' ? 'low' : effort;
}

function clampEffort(effort: ClaudeEffort, { efforts }: ClaudeCapabilities): ClaudeEffort | null {
  if (efforts.includes(effort)) return effort;
  return efforts.at(-1) ?? null;
}
