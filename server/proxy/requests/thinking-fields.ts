import { isJsonObject, isSent, type JsonBody } from '../../kernel/json-body.js';
import type { ReasoningEffort } from '../../providers/chat-types.js';
import { refuseUnknownThinking, toEffort } from '../../wires/thinking-effort.js';

/** Of whoever turns thinking on, and says no more. */
const usualEffort = 'medium';
/** `adaptive` and `auto` leave it to the model, as saying nothing does. */
const thinkingTypes = ['enabled', 'disabled', 'adaptive', 'auto'];

/**
 * How much is to be thought by the fields in which other gateways and providers have it: `reasoning` (OpenRouter), `thinking` (Anthropic,
 * DeepSeek, z.ai) and `enable_thinking` (Qwen). A value that is none of theirs says nothing, but for a kind of thinking, which is refused.
 * @returns undefined: none of them says anything, or `reasoning_effort` does, which counts first.
 * @throws AppError `unsupported_value`, naming `thinking.type`.
 */
export function findEffortInOtherFields(received: JsonBody): ReasoningEffort | undefined {
  if (isSent(received.reasoning_effort)) return undefined;
  const { reasoning, thinking, enable_thinking: isEnabled } = received;
  refuseUnknownThinking(thinking, thinkingTypes);
  return (
    (isJsonObject(reasoning) ? ofReasoning(reasoning) : undefined) ??
    (isJsonObject(thinking) ? ofThinking(thinking) : undefined) ??
    ofSwitch(isEnabled)
  );
}

// Its `effort` is that of Responses, and stands in `reasoning_effort` by now.
function ofReasoning({ enabled, max_tokens: budget }: JsonBody): ReasoningEffort | undefined {
  return enabled === false ? 'none' : (ofBudget(budget) ?? ofSwitch(enabled));
}

function ofThinking({ type, budget_tokens: budget }: JsonBody): ReasoningEffort | undefined {
  if (type === 'disabled') return 'none';
  return type === 'enabled' ? (ofBudget(budget) ?? usualEffort) : undefined;
}

function ofBudget(budget: unknown): ReasoningEffort | undefined {
  if (typeof budget !== 'number') return undefined;
  return budget <= 0 ? 'none' : toEffort(budget);
}

function ofSwitch(isOn: unknown): ReasoningEffort | undefined {
  if (isOn === false) return 'none';
  return isOn === true ? usualEffort : undefined;
}
