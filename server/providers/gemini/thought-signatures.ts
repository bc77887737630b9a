import { isJsonObject } from '../../kernel/json-body.js';
import type { ToolCall, ToolCallExtras } from '../chat-types.js';

import type { GeminiFamily } from './gemini-models.js';

// Google's own word for a call whose thought is not at hand: https://ai.google.dev/gemini-api/docs/thought-signatures
const noThoughtSignature = 'skip_thought_signature_validator';

/**
 * The signature that goes to Google with each of the parallel calls of one message; undefined: none. The first call has one always
 * where the model refuses a call without: one that began at another provider has none, and Google's word for that stands in.
 */
export function findSentSignatures(
  calls: readonly ToolCall[],
  { checksThoughtSignatures }: Pick<GeminiFamily, 'checksThoughtSignatures'>,
): (string | undefined)[] {
  return calls.map(({ extra_content: extra }, index) => {
    const stand = checksThoughtSignatures && index === 0 ? noThoughtSignature : undefined;
    return extra?.google?.thought_signature ?? stand;
  });
}

/** The signature in the `extra_content` of what Google's OpenAI-compatible endpoint answers; '' where there is none. */
export function readSignature(extra: unknown): string {
  const google = isJsonObject(extra) ? extra.google : null;
  const signature = isJsonObject(google) ? google.thought_signature : null;
  return typeof signature === 'string' ? signature : '';
}

/** A thought's signature in its place beside a call or a message; nothing where it is ''. */
export function toExtras(signature: string): { readonly extra_content?: ToolCallExtras } {
  return signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } };
}
