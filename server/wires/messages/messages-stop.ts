import type { ExactStop, FinishReason } from '../../providers/chat-types.js';

/** Why an answer ended, in Anthropic's words. */
export interface MessagesStop {
  /** null: it has not ended. */
  readonly stop_reason: string | null;
  /** The text of the caller's that stopped it; null where none did, or its provider does not tell. */
  readonly stop_sequence: string | null;
}

export const noStop: MessagesStop = { stop_reason: null, stop_sequence: null };
export const refusalStop: MessagesStop = { stop_reason: 'refusal', stop_sequence: null };

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** @param exactStop What the provider told beside the finish reason; null: nothing. */
export function toMessagesStop(finishReason: FinishReason, exactStop: ExactStop | null): MessagesStop {
  switch (exactStop?.reason) {
    case 'stop_sequence':
      return { stop_reason: 'stop_sequence', stop_sequence: exactStop.sequence };
    case 'context_full':
      return { stop_reason: 'model_context_window_exceeded', stop_sequence: null };
    case undefined:
      return { stop_reason: stopReasons[finishReason], stop_sequence: null };
  }
}
