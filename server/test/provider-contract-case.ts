import type { ErrorCode } from '../kernel/app-error.js';
import type { ChatRequest, FinishReason, JsonObject, ToolCall } from '../providers/chat-types.js';
import type { ProviderAdapter, TokenUsage } from '../providers/provider-adapter.js';

/**
 * What every adapter must be able to do, written as fixtures in the shapes of the provider's own documents. The suite
 * `providers/provider-contract.test.ts` runs them; an adapter that lacks a case does not compile.
 */
export interface ProviderContract {
  /** The adapter's name in the suite's titles. */
  readonly id: string;
  readonly adapter: ProviderAdapter;
  /** The provider's own name of the model that the cases ask, unless a case names another. */
  readonly upstreamModel: string;
  /** The address that must be called, seen from the base address; it begins with a slash. */
  findPath(upstreamModel: string, isStreamed: boolean): string;
  /** The header that must carry our key. */
  findKeyHeader(key: string): readonly [name: string, value: string];
  /** The fields that a streamed call's body has besides those of a plain one. */
  readonly streamFields: JsonObject;
  readonly cases: Readonly<Record<AnsweredCaseName, AnsweredCase>>;
  /** Streams that begin well and then report a failure. */
  readonly errorEvents: readonly [ErrorEventCase, ...ErrorEventCase[]];
  /** Answers whose status is a refusal. */
  readonly errorStatuses: readonly [ErrorStatusCase, ...ErrorStatusCase[]];
  /** Requests that cannot be translated without loss. */
  readonly untranslatable: readonly UntranslatableCase[];
}

export type AnsweredCaseName =
  | 'text'
  | 'one tool'
  | 'parallel tools'
  | 'tool without arguments'
  | 'tool results in history'
  | 'image'
  | 'JSON schema'
  | 'reasoning'
  | 'length'
  | 'refusal'
  | 'usage with every detail'
  | 'unknown fields and events';

/** One request that is answered, plain and streamed. */
export interface AnsweredCase {
  /** The suite adds `model` and `stream`. */
  readonly request: Omit<ChatRequest, 'model' | 'stream'>;
  readonly upstreamModel?: string;
  /** Exactly the body that must go upstream for a plain call. */
  readonly upstreamBody: JsonObject;
  /** The provider's plain answer. */
  readonly answer: JsonObject;
  /** The same answer streamed: each piece is the text of whole events, with their blank lines. */
  readonly stream: readonly string[];
  readonly expected: ExpectedAnswer;
}

export interface ExpectedAnswer {
  /** The first choice, plain and put together from chunks alike. What is absent must be absent, or null. */
  readonly message: {
    readonly content: string | null;
    readonly refusal?: string;
    readonly tool_calls?: readonly (ToolCall & JsonObject)[];
    readonly reasoning_content?: string;
    /** What no field is known for, as it came. */
    readonly other_parts?: readonly object[];
    readonly reasoning_details?: readonly JsonObject[];
  };
  readonly finishReason: FinishReason;
  /** Counts are inclusive; null where the provider does not say. */
  readonly usage: TokenUsage;
}

export interface ErrorEventCase {
  readonly name: string;
  /** Holds `canary.organisation`, so that a leak would be seen. */
  readonly stream: readonly string[];
  readonly code: ErrorCode;
}

export interface ErrorStatusCase {
  readonly name: string;
  readonly status: number;
  /** Holds `canary.key`, `canary.organisation` and `canary.host`, so that a leak would be seen. */
  readonly body: string;
  readonly code: ErrorCode;
  /** Words of the provider that must reach the caller, because the request is at fault. */
  readonly quote?: string;
}

export interface UntranslatableCase {
  readonly name: string;
  readonly request: Omit<ChatRequest, 'model' | 'stream'>;
  readonly upstreamModel?: string;
  readonly code: 'unsupported_parameter' | 'unsupported_value' | 'invalid_value';
  /** The field that the refusal names. */
  readonly param: string;
}

/** What no caller may ever read. */
export const canary = {
  // Like no key that is known by its form, so that only knowing it hides it.
  key: 'Canary0123456789',
  organisation: 'org-Tollgate123',
  host: 'db7.upstream.internal',
} as const;

/** One server-sent event; `name` only where the provider writes one. */
export function toEvent(data: object | string, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
