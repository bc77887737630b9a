import type { CallOutcome, EstimateParts } from '../../ledger/ledger-types.js';
import { type FinishReason, type OtherOutput, otherOutput } from '../../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../../providers/provider-adapter.js';
import { isCredibleUsage } from '../../providers/token-usage.js';
import {
  findShownTokensMax,
  frameTokensPerChoice,
  isOutputBelieved,
  type JudgedAnswer,
  mayHideOutput,
  mayStopAnswer,
} from './believed-output.js';
import { type FittedEstimate, fitToHold } from './fit-to-hold.js';
import { LastReport } from './last-report.js';
import { type MeteredUsage, noTokens } from './metered-usage.js';
import { type ChoiceHead, ShownOutput, type ShownPiece } from './shown-output.js';
import type { TokenCounter } from './token-counter.js';
import { UnseenTime } from './unseen-time.js';
import { countKept, countPromptMin, estimateUsage, longestTokenBytes, type MeterBounds } from './usage-estimate.js';
import { findPromptCountMax, isWithinMargins } from './usage-margins.js';

// Tokens of what models write are shorter on average; an answer past its cap is cut off before more than this is kept.
const keptCharactersPerToken = 16;
const keptCharactersMax = 8 * 1024 * 1024;

/** Watches one answer go by and says at its end what it used. Of the answer it keeps no more text than its cap allows. */
export class UsageMeter {
  readonly #shown: ShownOutput;
  readonly #unseenTime = new UnseenTime();
  readonly #choices: number;
  /** The output cap of all choices together. */
  readonly outputTokensMax: number;
  #mayReason: () => boolean = () => false;
  #hasEvents = false;
  #lastEventAtMs = 0;
  readonly #report = new LastReport();
  #hasVectors = false;
  #isCutAtCap = false;
  #promptTokensMin: number | null = null;

  constructor(private readonly bounds: MeterBounds) {
    const { n, max_completion_tokens: cap } = bounds.request;
    this.#choices = n ?? 1;
    this.outputTokensMax = this.#choices * (cap ?? Number.POSITIVE_INFINITY);
    const charactersMax = Math.min(keptCharactersMax, this.outputTokensMax * keptCharactersPerToken);
    this.#shown = new ShownOutput(charactersMax);
  }

  /** Notes a new attempt that has not been sent, and whether its model may reason for such a request, which is asked for an odd count alone. */
  noteAttempt(mayReason: () => boolean): void {
    this.#mayReason = mayReason;
    this.#unseenTime.noteSent(null);
  }

  /** Notes when the request went out to its provider, who has the prompt from then on. */
  noteSent(atMs: number): void {
    this.#unseenTime.noteSent(atMs);
  }

  observe(event: UpstreamEvent, atMs: number): void {
    this.#hasEvents = true;
    this.#lastEventAtMs = atMs;
    switch (event.type) {
      case 'usage':
        this.#report.note(event, { hasOutput: this.hasOutput, isKnownBelieved: this.isOutputBelieved });
        return;
      case 'unasked':
        this.#report.noteUnasked();
        return;
      case 'embeddings':
        this.#hasVectors = true;
        return;
      case 'completion':
        for (const choice of event.completion.choices) this.#show(choice, choice.message, atMs);
        this.#showOther(event.completion[otherOutput], atMs);
        return;
      case 'chunk': {
        const { bytes, toolCalls } = this.#shown;
        for (const choice of event.chunk.choices) this.#show(choice, choice.delta, atMs);
        const hasGrown = this.#shown.bytes > bytes || this.#shown.toolCalls > toolCalls;
        this.#report.noteChunk(hasGrown, this.#shown.endedChoices.size > 0);
        this.#showOther(event.chunk[otherOutput], atMs);
        return;
      }
    }
  }

  /** Notes that we ended the answer ourselves, because its provider went on past the output cap. */
  cutAtCap(): void {
    this.#isCutAtCap = true;
  }

  /** Whether anything that a caller can use has come: text, reasoning, a refusal, a tool call, an image, what nobody knows, or vectors. */
  get hasOutput(): boolean {
    return this.#shown.hasOutput || this.#hasVectors;
  }

  get finishReason(): FinishReason | null {
    return this.#isCutAtCap ? 'length' : this.#shown.finishReason;
  }

  /** The indexes of the choices whose end has not come yet. */
  get runningChoices(): readonly number[] {
    return Array.from({ length: this.#choices }, (_, index) => index).filter(
      (index) => !this.#shown.endedChoices.has(index),
    );
  }

  /** The bound of the prompt that was held. */
  get promptTokensMax(): number {
    return this.bounds.promptTokensMax;
  }

  /** Of what the stream has shown in fields that are known, reasoning included; an image is as long as English of as many tokens. */
  get outputBytes(): number {
    return this.#shown.bytes;
  }

  /** Whether the provider has the prompt. */
  get hasPrompt(): boolean {
    return this.sentAtMs !== null || this.#hasEvents;
  }

  get choices(): number {
    return this.#choices;
  }

  /** When the request went out; null: it did not, or its provider lives in this process. */
  get sentAtMs(): number | null {
    return this.#unseenTime.sentAtMs;
  }

  /**
   * Whether the provider has reported more output than the answer can have shown, since a token is at least a byte; the frames
   * of a choice or a tool call, which stand in no text, are not taken for reasoning.
   *
   * @param canReason Whether the model is known to reason. Of another one only its provider's own count of reasoning says so: output that
   *   is missing for whatever reason, such as tokens that stand for no text, must not have others pay for reasoning that never was.
   */
  hasUnseenOutput(canReason: boolean): boolean {
    const { outputTokens, reasoningTokens } = this.reported ?? noTokens;
    if ((reasoningTokens ?? 0) > this.#shown.reasoning.bytes) return true;
    return canReason && outputTokens > findShownTokensMax(this.#answer);
  }

  /** What its provider has counted so far, true or not; null: nothing. */
  get reported(): TokenUsage | null {
    return this.#report.usage;
  }

  /** Whether its provider made more choices than were asked for, so that its count is of more than the answer. */
  get hasUnasked(): boolean {
    return this.#report.hasUnasked;
  }

  /** Whether the answer can have as much output as its provider has counted. */
  get isOutputBelieved(): boolean {
    return this.reported === null || (!this.hasUnasked && isOutputBelieved(this.reported, this.#answer));
  }

  /** Whether its provider's count is not believed since nothing can have been hidden; then nothing unseen is estimated either. */
  get isAllShown(): boolean {
    return !this.isOutputBelieved && !mayHideOutput(this.#answer);
  }

  /** How much output the provider has reported so far; 0 before it says anything that the answer can have. */
  get reportedOutputTokens(): number {
    return this.isOutputBelieved ? (this.reported?.outputTokens ?? 0) : 0;
  }

  /** How many tokens of prompt its provider has had, as it reported, else at the least; 0 before it has them. Costs no tokenizer. */
  get sentPromptTokens(): number {
    if (!this.hasPrompt) return 0;
    this.#promptTokensMin ??= countPromptMin(this.bounds.request);
    return this.#countedPromptTokens ?? Math.min(this.#promptTokensMin, this.bounds.promptTokensMax);
  }

  /**
   * What has been used so far at the least, since nobody can correct a charge of it: as was reported, or as if all tokens were as long as
   * they get. Nothing before the first output, and no images that were not reported. Costs no tokenizer.
   */
  get progress(): { promptTokens: number; completionTokens: number } {
    if (!this.hasOutput) return { promptTokens: 0, completionTokens: 0 };
    const seen = Math.ceil(this.outputBytes / longestTokenBytes);
    const outputTokens = Math.max(seen, 1, this.reportedOutputTokens);
    return {
      promptTokens: this.sentPromptTokens,
      completionTokens: Math.min(outputTokens, this.outputTokensMax),
    };
  }

  /**
   * The bill of a call that ended this way. A failed call is free, and so are one that was left before its provider had it and
   * a whole answer that gave its caller nothing: it shows no output, and its provider has counted no reasoning and no more output than
   * the frame of an answer, 16 tokens a choice. Where the output cap, a stop text or a wanted token of the request may have ended it, it is free only if its
   * provider has counted no output, so that nobody has answers made for nothing. Any other whole answer is billed as the provider
   * reported, of the output no more than the cap where it went on past its margin. Where it did not report, or where its count cannot be true, is less than any tokenizer makes of the text that was seen, or stands
   * before more output than it tells of, is of more choices than were asked for, and for the part of an answer that was cut short, all of it is
   * estimated, within what was held. Never throws.
   * @param findUnseenTokensPerMs How fast this model reasons unseen, in tokens of one choice; 0 where it does not, or nobody knows. Asked
   *   for an estimate alone.
   * @returns a promise only for an estimate, whose text is counted elsewhere.
   */
  countUsageAfter(
    outcome: CallOutcome,
    counter: Pick<TokenCounter, 'count'>,
    { findUnseenTokensPerMs, endedAtMs }: { findUnseenTokensPerMs: () => number; endedAtMs: number },
  ): MeteredUsage | Promise<MeteredUsage> {
    const { reported } = this;
    const isWhole = outcome === 'completed' || this.#shown.endedChoices.size >= this.#choices;
    const isNothing = isWhole ? this.#isEmpty : !this.hasOutput && !(outcome === 'abandoned' && this.hasPrompt);
    if (outcome === 'failed' || isNothing) return { tokens: noTokens, source: 'none', parts: null };
    const isCounted = reported !== null && !this.#isCutAtCap && this.#isCredible(reported) && this.isOutputBelieved;
    const isBillable = isCounted && isWithinMargins(reported, this);
    const asReported = isBillable ? ({ tokens: reported, source: 'reported', parts: null } as const) : null;
    const isOfAll = !this.#report.isStale && this.reportedOutputTokens >= this.#shown.textBytes / longestTokenBytes;
    if (asReported && isOfAll && isWhole) return asReported;
    const { visible, reasoning, imageTokens, otherTokens } = this.#shown;
    const waits = this.#unseenTime.findWaits(this.#choices, endedAtMs);
    const seen = { visible, reasoning, imageTokens, otherTokens, waits, unseenTokensPerMs: findUnseenTokensPerMs() };
    return estimateUsage(this.bounds, seen, counter).then((counted) => {
      const estimate = this.#fitToHold(counted, isCounted && isOfAll && isWhole);
      // What came after the report may have been counted in it nevertheless.
      const isCovered = asReported && estimate.tokens.outputTokens <= asReported.tokens.outputTokens;
      return outcome === 'completed' && isCovered ? asReported : { ...estimate, source: 'estimated' };
    });
  }

  /** How many tokens the output has so far, by a tokenizer; null when that has too much to do. */
  async countOutput(counter: Pick<TokenCounter, 'count'>): Promise<number | null> {
    const { visible, reasoning, imageTokens } = this.#shown;
    const counting = [countKept(visible, counter), countKept(reasoning, counter)] as const;
    const [visibleTokens, reasoningTokens] = await Promise.all(counting);
    return visibleTokens === null || reasoningTokens === null ? null : visibleTokens + reasoningTokens + imageTokens;
  }

  // Vectors are no tokens.
  #isCredible(usage: TokenUsage): boolean {
    return this.#hasVectors ? usage.inputTokens > 0 : isCredibleUsage(usage, this);
  }

  // What the caller was given decides. Tokens that nobody saw are the frame of an answer, as the end of a turn is, as long as they are
  // few and nothing says that they were more: reasoning that was counted, or a bound of the caller's own that took them away.
  get #isEmpty(): boolean {
    if (this.hasOutput || this.#believedReasoningTokens > 0) return false;
    if (this.#isEndedByRequest) return this.reported?.outputTokens === 0;
    // Where a filter ended it, words that its provider has counted, and not only guessed, are the model's refusal.
    const isOfModel = this.#shown.hasRefusal && !this.#report.isGuess;
    const isFrame = this.reportedOutputTokens <= (isOfModel ? 0 : this.#choices * frameTokensPerChoice);
    return isFrame || !mayHideOutput(this.#answer);
  }

  // Whether the output cap ended a choice, or the request may have: few providers tell that from the end of a turn.
  get #isEndedByRequest(): boolean {
    const { endReasons } = this.#shown;
    const mayBeStopped = endReasons.has('stop') && mayStopAnswer(this.bounds.request);
    return this.#isCutAtCap || endReasons.has('length') || mayBeStopped;
  }

  // What the provider counted is no estimate, and stands if it can be true.
  get #countedPromptTokens(): number | null {
    const counted = this.reported?.inputTokens ?? 0;
    return counted > 0 && counted <= findPromptCountMax(this.bounds.promptTokensMax) ? counted : null;
  }

  get #believedReasoningTokens(): number {
    return this.isOutputBelieved ? (this.reported?.reasoningTokens ?? 0) : 0;
  }

  get #answer(): JudgedAnswer {
    const elapsedMs = this.sentAtMs === null ? 0 : this.#lastEventAtMs - this.sentAtMs;
    const [choices, outputTokensMax, mayReason] = [this.#choices, this.outputTokensMax, this.#mayReason];
    return { shown: this.#shown, choices, outputTokensMax, elapsedMs, mayReason };
  }

  #fitToHold(estimate: EstimateParts, isOutputExact: boolean): FittedEstimate {
    const { reported, outputTokensMax } = this;
    const least = Math.max(this.hasOutput ? 1 : 0, this.reportedOutputTokens);
    return fitToHold(estimate, {
      promptTokensMax: this.bounds.promptTokensMax,
      outputTokensMax: Math.min(outputTokensMax, this.#report.outputTokensOfMore),
      reported,
      countedPromptTokens: this.#countedPromptTokens,
      leastOutputTokens: this.#isCutAtCap ? outputTokensMax : least,
      isOutputExact: isOutputExact || this.#isCutAtCap,
      countedReasoningTokens: this.#believedReasoningTokens,
    });
  }

  #show(choice: ChoiceHead, piece: ShownPiece, atMs: number): void {
    const visible = this.#shown.add(choice, piece);
    if (visible !== null) this.#unseenTime.noteVisible(choice.index, visible, atMs);
  }

  #showOther(other: OtherOutput | undefined, atMs: number): void {
    if (other !== undefined) this.#unseenTime.noteVisible(other.choice, this.#shown.addOther(other), atMs);
  }
}
