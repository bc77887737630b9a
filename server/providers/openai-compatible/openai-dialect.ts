import type { ChatParam } from '../chat-request-shape.js';
import type { ChatRole } from '../chat-types.js';
import type { OpenAiEmbeddingDialect } from './openai-compatible-embeddings.js';

/** In what one OpenAI-compatible provider differs from another. Data; the adapter has no provider's name in it. */
export interface OpenAiDialect {
  /** Below the base address. */
  readonly path: string;
  /** The header that carries our key, in lower case. */
  readonly keyHeader: string;
  /** What stands before the key, such as `Bearer`; '' for nothing. */
  readonly keyScheme: string;
  /** Headers that are the same in each request. */
  readonly staticHeaders: Readonly<Record<string, string>>;
  /**
   * How usage comes in streams: asked for with `stream_options.include_usage`, `unasked`, or `continuous`: asked for and
   * then in every chunk, so that it is known even where an answer breaks off.
   */
  readonly usageMode: 'include_usage' | 'unasked' | 'continuous';
  /** `by_model`: OpenAI's reasoning models take only `max_completion_tokens`, and no sampling parameters. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | 'by_model';
  /** Roles that the provider calls otherwise. */
  readonly roles: Readonly<Partial<Record<ChatRole, string>>>;
  /** Whether a stored refusal may go back to it. */
  readonly isRefusalKnown: boolean;
  /** Whether streams are padded against eavesdroppers unless that is declined. */
  readonly isObfuscationSent: boolean;
  /** Whether a message may name its author. */
  readonly isAuthorNameKnown: boolean;
  /** What an assistant message calls the thinking that led to it, where that goes back; null: it does not, as most refuse or ignore it. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | null;
  /** Whether a thinking model refuses an earlier message with tool calls and no thinking, such as another provider's: a blank stands in. */
  readonly isReasoningNeeded: boolean;
  /** `nine_characters`: ids of tool calls must be nine letters and digits, as Mistral's own are; others are replaced. */
  readonly callIds: 'any' | 'nine_characters';
  /**
   * Whether Google's signatures of thoughts (`extra_content`) go back, without which Gemini refuses its own tool calls. `by_address`: to
   * Google's own hosts, `*.googleapis.com`. No other provider could read them, and some refuse fields that they do not know.
   */
  readonly thoughtSignatures: 'by_address' | 'sent' | 'left_out';
  /**
   * Where reasoning is counted: in `completion_tokens`, as OpenAI does it, or beside them and for certain in the total alone.
   * `by_address`: beside them at Google's own hosts, else in them. Counts that add up only with reasoning beside are read so anywhere.
   */
  readonly reasoningTokens: 'by_address' | 'in_completion' | 'beside_completion';
  /** Parameters that the provider answers with an error and that only tune an answer: left out. */
  readonly droppedParams: readonly ChatParam[];
  /** Parameters that the provider does not know and whose loss would change what is answered: refused by name. */
  readonly refusedParams: readonly ChatParam[];
  /** Parameters that the provider calls otherwise. */
  readonly renamedParams: Readonly<Partial<Record<ChatParam, string>>>;
  /** What only some of its models answer with an error: left out for those. */
  readonly modelQuirks: readonly { readonly models: RegExp; readonly droppedParams: readonly ChatParam[] }[];
  readonly embeddings: OpenAiEmbeddingDialect;
}

/** What most providers do. */
export const commonDialect: OpenAiDialect = {
  path: '/chat/completions',
  keyHeader: 'authorization',
  keyScheme: 'Bearer',
  staticHeaders: {},
  usageMode: 'include_usage',
  maxTokensField: 'max_tokens',
  roles: { developer: 'system' },
  isRefusalKnown: false,
  isObfuscationSent: false,
  isAuthorNameKnown: true,
  reasoningField: null,
  isReasoningNeeded: false,
  callIds: 'any',
  thoughtSignatures: 'by_address',
  reasoningTokens: 'by_address',
  droppedParams: ['verbosity'],
  refusedParams: [],
  renamedParams: {},
  modelQuirks: [],
  embeddings: { inputsMax: 2_048, takesTokens: false, encoding: 'float', dimensionsField: 'dimensions' },
};

/** Whether this is an address of Google's own, `*.googleapis.com`. */
export function isGoogleAddress(baseUrl: string): boolean {
  return /^https:\/\/([a-z0-9-]+\.)*googleapis\.com([:/]|$)/i.test(baseUrl);
}

/** Whether answers from this address leave reasoning out of `completion_tokens`; an unknown address is nobody's. */
export function isReasoningBeside({ reasoningTokens }: OpenAiDialect, baseUrl: string | undefined): boolean {
  if (reasoningTokens !== 'by_address') return reasoningTokens === 'beside_completion';
  return baseUrl !== undefined && isGoogleAddress(baseUrl);
}
