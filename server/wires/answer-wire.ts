import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '../providers/chat-types.js';

/** A failure in OpenAI's form, which the other wires put in their own. */
export interface WireError {
  /** The status that the answer has, or would have had. */
  readonly status: number;
  readonly body: {
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly param: string | null;
      readonly code: string | null;
    };
  };
}

/** Tells one answer in the words of its caller's wire. Made for one call; either plain or streamed. */
export interface AnswerWire {
  /** Whether a stream has told anything of the output, thinking included: what a wire has no place for, or holds back, is not told. */
  readonly hasTold: boolean;
  /**
   * Reads the whole of a plain answer; may change the completion. All that can fail is done here, before the answer is billed.
   * @returns what gives its body once its usage is known.
   */
  toBody(completion: ChatCompletion): (usage: CompletionUsage) => object;
  /** One piece of a stream as server-sent events; '' when there is nothing to tell yet. May change the chunk. */
  toEvents(chunk: ChatCompletionChunk): string;
  /** The events that end a whole, billed stream. */
  toEnd(usage: CompletionUsage): string;
  /** The events that end a stream which broke off. */
  toFailure(error: WireError): string;
}
