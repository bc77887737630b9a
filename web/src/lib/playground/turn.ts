import type { AnswerFigures } from './ask-model';
import type { ChatMessage } from './chat-body';

/** One question or answer of a conversation. */
export interface Turn extends ChatMessage {
  readonly model?: string;
  readonly callId?: string;
  readonly figures?: AnswerFigures;
  /** Why the answer is not whole; absent for a whole one. */
  readonly fault?: string;
  /** What the server calls it, where the server refused. */
  readonly faultCode?: string;
  readonly isStopped?: boolean;
}
