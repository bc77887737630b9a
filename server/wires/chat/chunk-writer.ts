import {
  type ChatCompletionChunk,
  type ChatDelta,
  type ChunkChoice,
  sameButWords,
} from '../../providers/chat-types.js';
import { findTextSplice, type TextSplice } from '../text-splice.js';

/** A chunk that was written, and what stands around its words. */
interface WrittenChunk extends TextSplice {
  readonly chunk: ChatCompletionChunk;
  readonly choice: ChunkChoice;
  readonly delta: ChatDelta;
  /** Of pieces that were found to be like it, so that the next one need not be compared; undefined: of none. */
  alike?: object | undefined;
}

/** Where each chunk differs from the one before in more than its words, nothing is gained. */
const lessonsMax = 8;

/** Writes the chunks of one stream as JSON, as `JSON.stringify` would; one that differs from an earlier one only in its words costs little. */
export class ChunkWriter {
  #written: WrittenChunk | null = null;
  #lessonsLeft = lessonsMax;

  write(chunk: ChatCompletionChunk): string {
    const [choice, another] = chunk.choices;
    const content = choice?.delta.content;
    if (choice === undefined || another !== undefined || typeof content !== 'string') return JSON.stringify(chunk);
    const written = this.#written;
    if (written !== null && isLike(written, chunk, choice)) {
      return `${written.before}${JSON.stringify(content)}${written.after}`;
    }
    if (this.#lessonsLeft > 0) this.#learn(chunk, choice);
    return JSON.stringify(chunk);
  }

  #learn(chunk: ChatCompletionChunk, choice: ChunkChoice): void {
    this.#lessonsLeft -= 1;
    const { delta } = choice;
    const splice = findTextSplice((content) =>
      JSON.stringify({ ...chunk, choices: [{ ...choice, delta: { ...delta, content } }] }),
    );
    if (splice === null) return;
    this.#written = { ...splice, chunk: { ...chunk }, choice: { ...choice }, delta: { ...delta } };
  }
}

function isLike(written: WrittenChunk, chunk: ChatCompletionChunk, choice: ChunkChoice): boolean {
  const alike = chunk[sameButWords];
  if (alike !== undefined && alike === written.alike) return true;
  const isSame =
    isSameBut('content', written.delta, choice.delta) &&
    isSameBut('delta', written.choice, choice) &&
    isSameBut('choices', written.chunk, chunk);
  if (isSame) written.alike = alike;
  return isSame;
}

// In their order as well. What is an object is never the same, since it may have been changed.
function isSameBut(
  name: string,
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(one);
  let index = 0;
  for (const field in other) {
    if (field !== names[index]) return false;
    index += 1;
    if (field === name) continue;
    const value = other[field];
    if (value !== one[field] || (typeof value === 'object' && value !== null)) return false;
  }
  return index === names.length;
}
