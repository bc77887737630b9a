import type { ChatRequest } from '../chat-types.js';

/** In what one OpenAI-compatible provider differs from another. Data; the adapter has no provider's name in it. */
export interface OpenAiDialect {
  /** Whether usage in streams must be asked for with `stream_options.include_usage`, or comes `unasked`. */
  readonly usageMode: 'include_usage' | 'unasked';
  /** `by_model`: OpenAI's reasoning models take only `max_completion_tokens`, and no sampling parameters. */
  readonly maxTokensField: 'max_tokens' | 'by_model';
  /** Whether the role `developer` is known; elsewhere it is sent as `system`. */
  readonly isDeveloperRoleKnown: boolean;
  /** Whether streams are padded against eavesdroppers unless that is declined. */
  readonly isObfuscationSent: boolean;
  /** Parameters that the provider answers with an error and that only tune an answer: left out. */
  readonly droppedParams: readonly (keyof ChatRequest)[];
  /** Parameters that the provider calls otherwise. */
  readonly renamedParams: Readonly<Partial<Record<keyof ChatRequest, string>>>;
}
