import type { JsonBody } from '../../kernel/json-body.js';
import type { CompletionUsage } from '../../providers/chat-types.js';

/** Counts as Anthropic's clients read them: what was read from its cache, and written to it, apart from the rest of the prompt. */
export function toMessagesUsage(usage: CompletionUsage): JsonBody {
  const { cached_tokens: read, cache_write_tokens: written } = usage.prompt_tokens_details;
  const { credits } = usage;
  return {
    ...toInputCounts({ input: Math.max(0, usage.prompt_tokens - read - written), read, written }),
    output_tokens: usage.completion_tokens,
    ...(credits === undefined ? {} : { credits }),
  };
}

/** The counts of a prompt in Anthropic's words. */
export function toInputCounts({ input, read, written }: { input: number; read: number; written: number }): JsonBody {
  return { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read };
}
