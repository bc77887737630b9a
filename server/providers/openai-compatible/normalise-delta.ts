import { isJsonObject, isSent } from '../../kernel/json-body.js';
import type { ChatDelta } from '../chat-types.js';
import { listCalls } from './call-forms.js';
import { hasWords, keepOthers, normaliseWords, takeSaid } from './normalise-choice.js';
import type { ToolCallTracker } from './tool-call-tracker.js';

/** What has come of the choice that a delta is of. */
interface SaidBefore {
  readonly hasWords: boolean;
  readonly hasOpenOutput: boolean;
  readonly toolCalls: Pick<ToolCallTracker, 'hasCalls'>;
}

/**
 * The delta of a choice, put in its place. Some servers write a `message` instead; where both stand, that repeats what came, if anything has.
 */
export function takeDelta(
  choice: Record<string, unknown>,
  { hasWords: hasSaid, hasOpenOutput, toolCalls }: SaidBefore,
): Record<string, unknown> {
  const { delta, message } = choice;
  const isNew = !isJsonObject(delta) || (!hasSaid && !hasOpenOutput && !toolCalls.hasCalls && isBare(delta, false));
  const said = takeSaid(choice, isNew && isSent(message) ? message : delta) ?? {};
  if (message !== undefined) choice.message = undefined;
  if (said !== delta) choice.delta = said;
  return said;
}

/** Whether a delta brings words, thinking or calls. */
export function hasOutput(delta: ChatDelta): boolean {
  const { reasoning_content: thought, reasoning, tool_calls: calls } = delta;
  return hasWords(delta) || Boolean(thought || reasoning || calls?.length);
}

/** Whether a delta brings nothing. The role alone is news in the first piece of its choice only. */
export function isBare(delta: ChatDelta, isFirst: boolean): boolean {
  return Object.entries(delta).every(([name, value]) => {
    if (name === 'role' && !isFirst) return true;
    return Array.isArray(value) ? value.length === 0 : value === undefined || value === null || value === '';
  });
}

/** Brings a delta into the form that clients read, in its place. */
export function normaliseDelta(delta: Record<string, unknown>, toolCalls: ToolCallTracker): asserts delta is ChatDelta {
  if (delta.role !== undefined) delta.role = delta.role ? 'assistant' : undefined;
  normaliseWords(delta);
  if (delta.tool_calls === undefined) return;
  const { calls, others } = listCalls(delta.tool_calls);
  keepOthers(delta, others);
  const told = calls.length === 0 ? [] : toolCalls.normalise(calls);
  // All of it may have to wait.
  delta.tool_calls = told.length === 0 ? undefined : told;
}
