import { createHash } from 'node:crypto';
import type { AssistantBlock, TextBlock, ThinkingBlock, ToolUseBlock } from './anthropic-types.js';

/*
 * Claude thinks between its words and calls, too, and takes thinking back only in the order in which it came. A message of chat
 * completions has one text and one list of calls, so each piece of thinking carries a mark of what stood before it.
 */

/** What has come of a turn so far. */
export class TurnProgress {
  readonly #texts = createHash('sha256');
  readonly #callIds = createHash('sha256');
  #thinkingCount = 0;
  #callCount = 0;
  #textLength = 0;

  get thinkingCount(): number {
    return this.#thinkingCount;
  }

  get callCount(): number {
    return this.#callCount;
  }

  /** In UTF-16 code units, of all texts together. */
  get textLength(): number {
    return this.#textLength;
  }

  addText(text: string): void {
    this.#texts.update(text);
    this.#textLength += text.length;
  }

  /** @param id As the caller knows it. */
  addCall(id: string): void {
    this.#callIds.update(JSON.stringify(id));
    this.#callCount += 1;
  }

  addThinking(): void {
    this.#thinkingCount += 1;
  }

  /** How much came, and a hash of it: the same only where the same came. Null where nothing but thinking did. */
  get mark(): string | null {
    if (this.#callCount === 0 && this.#textLength === 0) return null;
    const hash = this.#texts.copy().update(this.#callIds.copy().digest()).digest('base64url').slice(0, 11);
    return [this.#thinkingCount, this.#callCount, this.#textLength, hash].join('.');
  }
}

/** Thinking that a caller sent back, with where it stood. */
export interface PlacedThinking {
  readonly block: ThinkingBlock;
  /** Its place among the blocks of the answer; undefined where the caller left it out. */
  readonly index: number | undefined;
  /** `TurnProgress.mark` of what stood before it; null for none. */
  readonly after: string | null;
}

export interface TurnPieces {
  /** In their order. */
  readonly thinking: readonly PlacedThinking[];
  /** In their order, with blank ones, which count for the places of thinking. */
  readonly texts: readonly TextBlock[];
  readonly calls: readonly ToolUseBlock[];
  /** Of each call, as the caller knows it. */
  readonly callIds: readonly string[];
}

/**
 * The blocks of a turn in the order in which they came, without blank texts. Where that cannot be told, because text, calls or
 * thinking are no longer those of the answer, without any thinking: in another order it would be answered with an error.
 */
export function orderTurn(pieces: TurnPieces): AssistantBlock[] {
  const blocks = findOrder(pieces) ?? [...pieces.texts, ...pieces.calls];
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function findOrder({ thinking, texts, calls, callIds }: TurnPieces): AssistantBlock[] | null {
  const progress = new TurnProgress();
  const textsLeft = [...texts];
  const blocks: AssistantBlock[] = [];
  for (const { block, index, after } of thinking) {
    const [, callCount = 0, textLength = 0] = (after ?? '').split('.').map(Number);
    for (const text of cutTexts(textsLeft, textLength - progress.textLength)) {
      progress.addText(text.text);
      blocks.push(text);
    }
    blocks.push(...calls.slice(progress.callCount, callCount));
    for (const id of callIds.slice(progress.callCount, callCount)) progress.addCall(id);
    // Thinking of releases that made no marks is known to have come first by its index alone.
    const isFirst = index === undefined || index === progress.thinkingCount;
    if (after !== progress.mark || (after === null && !isFirst)) return null;
    progress.addThinking();
    blocks.push(block);
  }
  const rest = [...textsLeft, ...calls.slice(progress.callCount)];
  // What followed is gone, and a turn of Claude's never ends by thinking.
  const isCut = thinking.at(-1)?.after != null && rest.every((block) => block.type === 'text' && !block.text.trim());
  return isCut ? null : [...blocks, ...rest];
}

/** Takes so many code units off the beginning of `texts`. */
function cutTexts(texts: TextBlock[], length: number): TextBlock[] {
  const taken: TextBlock[] = [];
  let missing = length;
  while (missing > 0) {
    const first = texts.shift();
    if (first === undefined) break;
    const { text } = first;
    if (text.length > missing) {
      taken.push({ type: 'text', text: text.slice(0, missing) });
      texts.unshift({ ...first, text: text.slice(missing) });
    } else taken.push(first);
    missing -= text.length;
  }
  return taken;
}
