import type { CallOutcome, EstimateParts, UsageSource } from '../../ledger/ledger-types.js';
import type { ChatCompletion, ChatCompletionChunk, FinishReason } from '../../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../../providers/provider-adapter.js';
import { isCredibleUsage } from '../../providers/token-usage.js';
import { KeptText } from './kept-text.js';
import type { TokenCounter } from './token-counter.js';
import { readUncommonFields } from './uncommon-fields.js';
import { countKept, countPromptMin, estimateUsage, longestTokenBytes, type MeterBounds } from './usage-estimate.js';
import { findPromptCountMax } from './usage-margins.js';

/** What a call is billed for, and who counted it. */
export interface MeteredUsage {
  readonly tokens: TokenUsage;
  readonly source: UsageSource;
  /** What an estimate is made of; null for what is none. */
  readonly parts: EstimateParts | null;
}

const noTokens: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 0,
  reasoningTokens: null,
};

const bytesPerToken = 4;
// What a provider counts beside the words of each choice and each tool call, by any of their templates.
const frameTokensPerChoice = 16;
const frameTokensPerToolCall = 32;
// Of a megapixel, by Google's count; 747 to 2,520 by size: https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/gemini/3-1-flash-image.
const tokensPerImage = 1_120;
// No text that a model writes has longer tokens on average; what a cap does not hold back is cut off before it is kept.
const keptCharactersPerToken = 16;
const keptCharactersMax = 8 * 1024 * 1024;

/** Watches one answer go by and says at its end what it used. Of the answer it keeps no more text than its cap allows. */
export class UsageMeter {
  readonly #visible: KeptText;
  readonly #reasoning: KeptText;
  readonly #choices: number;
  readonly #outputTokensMax: number;
  readonly #endedChoices = new Set<number>();
  /** When the first visible words of each choice came. */
  readonly #firstVisibleAtMs = new Map<number, number>();
  #sentAtMs: number | null = null;
  #hasEvents = false;
  #reported: TokenUsage | null = null;
  /** Whether output came after what was reported last, which so tells nothing of it. */
  #isReportStale = false;
  #isReportOfNextChunk = false;
  #toolCalls = 0;
  /** What its images come to. */
  #imageTokens = 0;
  #hasVectors = false;
  #finishReason: FinishReason | null = null;
  #isCutAtCap = false;
  #promptTokensMin: number | null = null;

  constructor(private readonly bounds: MeterBounds) {
    const { n, max_completion_tokens: cap } = bounds.request;
    this.#choices = n ?? 1;
    this.#outputTokensMax = this.#choices * (cap ?? Number.POSITIVE_INFINITY);
    const charactersMax = Math.min(keptCharactersMax, this.#outputTokensMax * keptCharactersPerToken);
    this.#visible = new KeptText(charactersMax);
    this.#reasoning = new KeptText(charactersMax);
  }

  /** Notes when the request went out to its provider, who has the prompt from then on; null: a new attempt, not yet sent. */
  noteSent(atMs: number | null): void {
    this.#sentAtMs = atMs;
  }

  observe(event: UpstreamEvent, atMs: number): void {
    this.#hasEvents = true;
    switch (event.type) {
      case 'usage':
        // Some providers end with an event of zeros: it takes nothing back of what was counted before.
        if (this.#reported && isCredibleUsage(this.#reported, true) && !isCredibleUsage(event.usage, true)) return;
        this.#reported = event.usage;
        this.#isReportStale = false;
        this.#isReportOfNextChunk = event.isOfNextChunk === true;
        return;
      case 'embeddings':
        this.#hasVectors = true;
        return;
      case 'completion':
        for (const choice of event.completion.choices) this.#observePiece(choice, choice.message, atMs);
        return;
      case 'chunk': {
        const [bytesBefore, toolCallsBefore] = [this.outputBytes, this.#toolCalls];
        for (const choice of event.chunk.choices) this.#observePiece(choice, choice.delta, atMs);
        const hasGrown = this.outputBytes > bytesBefore || this.#toolCalls > toolCallsBefore;
        if (hasGrown && !this.#isReportOfNextChunk) this.#isReportStale = true;
        this.#isReportOfNextChunk = false;
        return;
      }
    }
  }

  /** Notes that we ended the answer ourselves, because its provider went on past the output cap. */
  cutAtCap(): void {
    this.#isCutAtCap = true;
    this.#finishReason = 'length';
  }

  /** Whether anything that a caller can use has come: text, reasoning, a refusal, a tool call, an image or vectors. */
  get hasOutput(): boolean {
    return this.outputBytes > 0 || this.#toolCalls > 0 || this.#hasVectors;
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

  /** Of what the stream has shown, reasoning included; an image is as long as English of as many tokens. */
  get outputBytes(): number {
    return this.#visible.bytes + this.#reasoning.bytes + this.#imageTokens * bytesPerToken;
  }

  /** Whether the provider has the prompt, and so may bill it. */
  get hasPrompt(): boolean {
    return this.#sentAtMs !== null || this.#hasEvents;
  }

  get choices(): number {
    return this.#choices;
  }

  /** When the request went out; null: it did not, or its provider lives in this process. */
  get sentAtMs(): number | null {
    return this.#sentAtMs;
  }

  /**
   * Whether the provider has reported more output than the answer can have shown, since a token is at least a byte; the frames
   * of a choice or a tool call, which stand in no text, are not taken for reasoning.
   */
  get hasUnseenOutput(): boolean {
    const { outputTokens, reasoningTokens } = this.#reported ?? noTokens;
    const frameTokens = this.#choices * frameTokensPerChoice + this.#toolCalls * frameTokensPerToolCall;
    return outputTokens > this.outputBytes + frameTokens || (reasoningTokens ?? 0) > this.#reasoning.bytes;
  }

  /** A report whose prompt is longer than it can be, so that no estimate uses it; null: there is none. */
  get implausibleUsage(): TokenUsage | null {
    const reported = this.#reported;
    return reported && reported.inputTokens > findPromptCountMax(this.bounds.promptTokensMax) ? reported : null;
  }

  /** How much output the provider has reported so far; 0 before it says anything. */
  get reportedOutputTokens(): number {
    return this.#reported?.outputTokens ?? 0;
  }

  /**
   * What has been used so far at the least, since nobody can correct a charge of it: as was reported, or as if all tokens were as long as
   * they get. Nothing before the first output, and no images that were not reported. Costs no tokenizer.
   */
  get progress(): { promptTokens: number; completionTokens: number } {
    if (!this.hasOutput) return { promptTokens: 0, completionTokens: 0 };
    this.#promptTokensMin ??= countPromptMin(this.bounds.request);
    const seen = Math.ceil(this.outputBytes / longestTokenBytes);
    const outputTokens = Math.max(seen, this.#toolCalls > 0 ? 1 : 0, this.reportedOutputTokens);
    return {
      promptTokens: this.#countedPromptTokens ?? Math.min(this.#promptTokensMin, this.bounds.promptTokensMax),
      completionTokens: Math.min(outputTokens, this.#outputTokensMax),
    };
  }

  /**
   * The bill of a call that ended this way. A failed call is free, and so is one that was left before its provider had it. A
   * whole answer is billed as the provider reported. Where it did not, or where its count cannot be true or stands before more
   * output than it tells of, and for the part of an answer that was cut short, all of it is estimated, within what was held.
   * Never throws.
   *
   * @param unseenTokensPerMs How fast this model reasons unseen, in tokens of one choice; 0 where it does not, or nobody knows.
   */
  async countUsageAfter(
    outcome: CallOutcome,
    counter: Pick<TokenCounter, 'count'>,
    { unseenTokensPerMs, endedAtMs }: { unseenTokensPerMs: number; endedAtMs: number },
  ): Promise<MeteredUsage> {
    const reported = this.#reported;
    const isFree = outcome === 'failed' || (!this.hasOutput && !(outcome === 'abandoned' && this.hasPrompt));
    const isBillable = reported !== null && outcome !== 'failed' && !this.#isCutAtCap && this.#isCredible(reported);
    const asReported = isBillable ? ({ tokens: reported, source: 'reported', parts: null } as const) : null;
    if (asReported && !this.#isReportStale && (outcome === 'completed' || this.#hasEnded)) return asReported;
    if (isFree) return { tokens: noTokens, source: 'none', parts: null };
    const unseenTokens = this.#findUnseenMs(endedAtMs) * unseenTokensPerMs;
    const seen = { visible: this.#visible, reasoning: this.#reasoning, imageTokens: this.#imageTokens, unseenTokens };
    const estimate = this.#fitToHold(await estimateUsage(this.bounds, seen, counter));
    // What came after the report may have been counted in it nevertheless.
    const isCovered = asReported && estimate.tokens.outputTokens <= asReported.tokens.outputTokens;
    return outcome === 'completed' && isCovered ? asReported : { ...estimate, source: 'estimated' };
  }

  /** How many tokens the output has so far, by a tokenizer; null when that has too much to do. */
  async countOutput(counter: Pick<TokenCounter, 'count'>): Promise<number | null> {
    const [visible, reasoning] = await Promise.all([
      countKept(this.#visible, counter),
      countKept(this.#reasoning, counter),
    ]);
    return visible === null || reasoning === null ? null : visible + reasoning + this.#imageTokens;
  }

  // Vectors are no tokens.
  #isCredible(usage: TokenUsage): boolean {
    return this.#hasVectors ? usage.inputTokens > 0 : isCredibleUsage(usage, this.hasOutput);
  }

  get #hasEnded(): boolean {
    return this.#endedChoices.size >= this.#choices;
  }

  // The time of all choices in which nothing visible had come.
  #findUnseenMs(endedAtMs: number): number {
    if (this.#sentAtMs === null) return 0;
    let unseenMs = 0;
    for (let choice = 0; choice < this.#choices; choice += 1) {
      unseenMs += Math.max(0, (this.#firstVisibleAtMs.get(choice) ?? endedAtMs) - this.#sentAtMs);
    }
    return unseenMs;
  }

  // What the provider counted is no estimate, and stands if it can be true.
  get #countedPromptTokens(): number | null {
    return this.implausibleUsage === null ? this.#reported?.inputTokens || null : null;
  }

  #fitToHold(estimate: EstimateParts): { tokens: TokenUsage; parts: EstimateParts } {
    const { promptTokensMax } = this.bounds;
    const counted = this.#countedPromptTokens;
    const estimated = Math.min(Math.max(1, estimate.promptTokens + estimate.imageTokens), promptTokensMax);
    const inputTokens = counted ?? estimated;
    const imageTokens = counted === null ? Math.min(estimate.imageTokens, inputTokens) : 0;
    const least = Math.max(this.hasOutput ? 1 : 0, this.reportedOutputTokens);
    const wanted = Math.max(least, estimate.visibleTokens + estimate.reasoningTokens);
    const outputTokens = this.#isCutAtCap ? this.#outputTokensMax : Math.min(wanted, this.#outputTokensMax);
    // What was counted beyond the text that was seen is reasoning, or what stands for it.
    const hasReasoning = estimate.reasoningTokens > 0 || (this.#reported?.reasoningTokens ?? 0) > 0;
    const visibleTokens = hasReasoning ? Math.min(estimate.visibleTokens, outputTokens) : outputTokens;
    return {
      tokens: { ...(this.#reported ?? noTokens), inputTokens, outputTokens },
      parts: {
        promptTokens: inputTokens - imageTokens,
        imageTokens,
        visibleTokens,
        reasoningTokens: outputTokens - visibleTokens,
      },
    };
  }

  #observePiece(
    { index, finish_reason }: { index: number; finish_reason: FinishReason | null },
    piece: ChatCompletion['choices'][number]['message'] | ChatCompletionChunk['choices'][number]['delta'],
    atMs: number,
  ): void {
    if (finish_reason !== null) {
      this.#finishReason = finish_reason;
      this.#endedChoices.add(index);
    }
    // What stands for a prompt that was blocked was generated by nobody, and the provider counts no output for it.
    const refusal = finish_reason === 'content_filter' && !piece.content ? null : piece.refusal;
    const [allBytesBefore, bytesBefore] = [this.outputBytes, this.#visible.bytes];
    for (const text of [piece.content, refusal]) if (typeof text === 'string') this.#visible.add(text);
    // Some providers write their reasoning under both of its names.
    const told = piece.reasoning_content || piece.reasoning;
    if (typeof told === 'string') this.#reasoning.add(told);
    for (const call of piece.tool_calls ?? []) {
      // A stream brings the name of each once.
      if (call.function?.name || this.#toolCalls === 0) this.#toolCalls += 1;
      this.#visible.add(`${call.function?.name ?? ''}${call.function?.arguments ?? ''}`);
    }
    if (this.outputBytes === allBytesBefore) {
      const others = readUncommonFields(piece);
      for (const text of others.visible) this.#visible.add(text);
      for (const text of others.reasoning) this.#reasoning.add(text);
    }
    const images = Array.isArray(piece.images) ? piece.images.length : 0;
    this.#imageTokens += images * tokensPerImage;
    const isVisible = this.#visible.bytes > bytesBefore || images > 0 || piece.tool_calls !== undefined;
    if (isVisible && !this.#firstVisibleAtMs.has(index)) this.#firstVisibleAtMs.set(index, atMs);
  }
}
