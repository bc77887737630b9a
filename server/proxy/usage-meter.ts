import type { CallOutcome, UsageSource } from '../ledger/ledger-types.js';
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, FinishReason } from '../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../providers/provider-adapter.js';
import { isCredibleUsage } from '../providers/token-usage.js';
import { samplePrompt } from './prompt-sample.js';
import { TextSample } from './text-sample.js';
import type { TokenCounter } from './token-counter.js';

/** What a call is billed for, and who counted it. */
export interface MeteredUsage {
  readonly tokens: TokenUsage;
  readonly source: UsageSource;
}

/** What the hold of a call was made for; no estimate goes beyond it. */
export interface MeterBounds {
  readonly promptTokensMax: number;
  /** The request that was sent, with its output cap. */
  readonly request: Pick<ChatRequest, 'messages' | 'tools' | 'response_format' | 'n' | 'max_completion_tokens'>;
}

interface Estimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const noTokens: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 0,
  reasoningTokens: null,
};

// What English text comes to; the bound of the prompt counts each byte as a token.
const bytesPerToken = 4;
const sampledOutputCharacters = 64 * 1024;

/** Watches one answer go by and says at its end what it used. */
export class UsageMeter {
  readonly #output = new TextSample(sampledOutputCharacters);
  readonly #choices: number;
  readonly #outputTokensMax: number;
  readonly #endedChoices = new Set<number>();
  #reported: TokenUsage | null = null;
  #hasToolCalls = false;
  #finishReason: FinishReason | null = null;
  #isCutAtCap = false;

  constructor(private readonly bounds: MeterBounds) {
    const { n, max_completion_tokens: cap } = bounds.request;
    this.#choices = n ?? 1;
    this.#outputTokensMax = this.#choices * (cap ?? Number.POSITIVE_INFINITY);
  }

  observe(event: UpstreamEvent): void {
    switch (event.type) {
      case 'usage':
        this.#reported = event.usage;
        return;
      case 'completion':
        for (const choice of event.completion.choices) this.#observePiece(choice, choice.message);
        return;
      case 'chunk':
        for (const choice of event.chunk.choices) this.#observePiece(choice, choice.delta);
        return;
    }
  }

  /** Notes that we ended the answer ourselves, because its provider went on past the output cap. */
  cutAtCap(): void {
    this.#isCutAtCap = true;
    this.#finishReason = 'length';
  }

  /** Whether anything that a caller can use has come: text, reasoning, a refusal or a tool call. */
  get hasOutput(): boolean {
    return this.#output.bytes > 0 || this.#hasToolCalls;
  }

  get finishReason(): FinishReason | null {
    return this.#finishReason;
  }

  /** The indexes of the choices whose end has not come yet. */
  get runningChoices(): readonly number[] {
    return Array.from({ length: this.#choices }, (_, index) => index).filter((index) => !this.#endedChoices.has(index));
  }

  /** The bound of the prompt that was held. */
  get promptTokensMax(): number {
    return this.bounds.promptTokensMax;
  }

  /** The output cap of all choices together. */
  get outputTokensMax(): number {
    return this.#outputTokensMax;
  }

  get outputBytes(): number {
    return this.#output.bytes;
  }

  /** How much output the provider has reported so far; 0 before it says anything. */
  get reportedOutputTokens(): number {
    return this.#reported?.outputTokens ?? 0;
  }

  /** What has provably been used so far: nothing before the first output. */
  get progress(): { promptTokens: number; completionTokens: number } {
    const { tokens } = this.hasOutput ? this.usageAfter('abandoned') : { tokens: noTokens };
    return { promptTokens: tokens.inputTokens, completionTokens: tokens.outputTokens };
  }

  /**
   * The bill of a call that ended this way. A failed call is free. A whole answer is billed as the provider reported; where
   * it did not, or where its count cannot be true, and for the part of an answer that was cut short, we estimate from the
   * number of bytes, within what was held.
   */
  usageAfter(outcome: CallOutcome): MeteredUsage {
    const outputTokens = Math.ceil(this.#output.bytes / bytesPerToken);
    return this.#bill(outcome, { inputTokens: Math.ceil(this.bounds.promptTokensMax / bytesPerToken), outputTokens });
  }

  /** As `usageAfter`, but an estimate is made by a tokenizer, unless that has too much to do. Never throws. */
  async countUsageAfter(outcome: CallOutcome, counter: Pick<TokenCounter, 'count'>): Promise<MeteredUsage> {
    const rough = this.usageAfter(outcome);
    if (rough.source !== 'estimated') return rough;
    const prompt = samplePrompt(this.bounds.request);
    const [promptTokens, outputTokens] = (await counter.count([prompt.text, this.#output.text])) ?? [];
    if (promptTokens === undefined || outputTokens === undefined) return rough;
    // What is no text, the frames of messages and the images, stays an estimate from its bound.
    const otherTokens = Math.max(0, Math.ceil((this.bounds.promptTokensMax - prompt.bytes) / bytesPerToken));
    return this.#bill(outcome, {
      inputTokens: prompt.scale(promptTokens) + otherTokens,
      outputTokens: this.#output.scale(outputTokens),
    });
  }

  /** How many tokens the output has so far, by a tokenizer; null when that has too much to do. */
  async countOutput(counter: Pick<TokenCounter, 'count'>): Promise<number | null> {
    const [tokens] = (await counter.count([this.#output.text])) ?? [];
    return tokens === undefined ? null : this.#output.scale(tokens);
  }

  #bill(outcome: CallOutcome, estimate: Estimate): MeteredUsage {
    if (outcome === 'failed') return { tokens: noTokens, source: 'none' };
    const reported = this.#reported;
    // What was reported in the middle of an answer tells nothing of what came after it.
    const isReportFinal = !this.#isCutAtCap && (outcome === 'completed' || this.runningChoices.length === 0);
    if (reported && (isReportFinal || !this.hasOutput) && isCredibleUsage(reported, this.hasOutput)) {
      return { tokens: reported, source: 'reported' };
    }
    if (!this.hasOutput) return { tokens: noTokens, source: 'none' };
    return { tokens: { ...(reported ?? noTokens), ...this.#fitToHold(estimate) }, source: 'estimated' };
  }

  #fitToHold({ inputTokens, outputTokens }: Estimate): Estimate {
    const { promptTokensMax } = this.bounds;
    // What the provider counted is no estimate, and stands whatever was held.
    const input = this.#reported?.inputTokens || Math.min(Math.max(1, inputTokens), promptTokensMax);
    if (this.#isCutAtCap) return { inputTokens: input, outputTokens: this.#outputTokensMax };
    const output = Math.max(1, outputTokens, this.reportedOutputTokens);
    return { inputTokens: input, outputTokens: Math.min(output, this.#outputTokensMax) };
  }

  #observePiece(
    { index, finish_reason }: { index: number; finish_reason: FinishReason | null },
    piece: ChatCompletion['choices'][number]['message'] | ChatCompletionChunk['choices'][number]['delta'],
  ): void {
    if (finish_reason !== null) {
      this.#finishReason = finish_reason;
      this.#endedChoices.add(index);
    }
    // What stands for a prompt that was blocked was generated by nobody, and the provider counts no output for it.
    const refusal = finish_reason === 'content_filter' && !piece.content ? null : piece.refusal;
    // Some providers write their reasoning under both of its names.
    for (const text of [piece.content, refusal, piece.reasoning_content ?? piece.reasoning]) {
      if (typeof text === 'string') this.#output.add(text);
    }
    for (const call of piece.tool_calls ?? []) {
      this.#hasToolCalls = true;
      this.#output.add(`${call.function?.name ?? ''}${call.function?.arguments ?? ''}`);
    }
  }
}
