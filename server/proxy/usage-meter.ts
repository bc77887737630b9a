import type { CallOutcome, UsageSource } from '../ledger/ledger-types.js';
import type { ChatCompletion, ChatCompletionChunk, FinishReason } from '../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../providers/provider-adapter.js';
import { isCredibleUsage } from '../providers/token-usage.js';

/** What a call is billed for, and who counted it. */
export interface MeteredUsage {
  readonly tokens: TokenUsage;
  readonly source: UsageSource;
}

const noTokens: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 0,
  reasoningTokens: null,
};

/** Watches one answer go by and says at its end what it used. */
export class UsageMeter {
  #reported: TokenUsage | null = null;
  #outputBytes = 0;
  #hasToolCalls = false;
  #finishReason: FinishReason | null = null;

  /** @param promptTokensMax The upper bound of the prompt that the hold was made for. */
  constructor(private readonly promptTokensMax: number) {}

  observe(event: UpstreamEvent): void {
    switch (event.type) {
      case 'usage':
        this.#reported = event.usage;
        return;
      case 'completion':
        for (const { message, finish_reason } of event.completion.choices) this.#observePiece(message, finish_reason);
        return;
      case 'chunk':
        for (const { delta, finish_reason } of event.chunk.choices) this.#observePiece(delta, finish_reason);
        return;
    }
  }

  /** Whether anything that a caller can use has come: text, reasoning, a refusal or a tool call. */
  get hasOutput(): boolean {
    return this.#outputBytes > 0 || this.#hasToolCalls;
  }

  get finishReason(): FinishReason | null {
    return this.#finishReason;
  }

  /** What has provably been used so far: nothing before the first output. */
  get progress(): { promptTokens: number; completionTokens: number } {
    const { tokens } = this.hasOutput ? this.usageAfter('abandoned') : { tokens: noTokens };
    return { promptTokens: tokens.inputTokens, completionTokens: tokens.outputTokens };
  }

  /**
   * The bill of a call that ended this way. A failed call is free. A whole answer is billed as the provider reported; where
   * it did not, or where its count cannot be true, and for the part of an answer that was cut short, we estimate.
   */
  usageAfter(outcome: CallOutcome): MeteredUsage {
    if (outcome === 'failed') return { tokens: noTokens, source: 'none' };
    if (this.#reported && isCredibleUsage(this.#reported, this.hasOutput))
      return this.#billReported(this.#reported, outcome);
    if (!this.hasOutput) return { tokens: noTokens, source: 'none' };
    return { tokens: this.#estimate(), source: 'estimated' };
  }

  // Some providers count the prompt at the start of a stream, with next to no output. Where the rest was cut off, that count of
  // the prompt stands, and what came since is estimated.
  #billReported(reported: TokenUsage, outcome: CallOutcome): MeteredUsage {
    const isLastWord = outcome === 'completed' || this.#finishReason !== null;
    if (isLastWord || !this.hasOutput) return { tokens: reported, source: 'reported' };
    const outputTokens = Math.max(reported.outputTokens, this.#estimate().outputTokens);
    return { tokens: { ...reported, outputTokens }, source: 'estimated' };
  }

  // Four bytes a token is what English text comes to; the bound of the prompt counts each byte as one.
  #estimate(): TokenUsage {
    const inputTokens = Math.max(1, Math.ceil(this.promptTokensMax / 4));
    return { ...noTokens, inputTokens, outputTokens: Math.max(1, Math.ceil(this.#outputBytes / 4)) };
  }

  #observePiece(
    piece: ChatCompletion['choices'][number]['message'] | ChatCompletionChunk['choices'][number]['delta'],
    finishReason: FinishReason | null,
  ): void {
    this.#finishReason = finishReason ?? this.#finishReason;
    for (const text of [piece.content, piece.refusal, piece.reasoning_content, piece.reasoning]) {
      if (typeof text === 'string') this.#outputBytes += Buffer.byteLength(text);
    }
    for (const call of piece.tool_calls ?? []) {
      this.#hasToolCalls = true;
      this.#outputBytes += Buffer.byteLength(`${call.function?.name ?? ''}${call.function?.arguments ?? ''}`);
    }
  }
}
