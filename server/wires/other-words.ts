import { type ChatCompletion, type ChatCompletionChunk, otherOutput } from '../providers/chat-types.js';

/** What is longer is told as far as this. */
const charactersMax = 256 * 1024;

/**
 * What an answer brings in fields that nobody lists, for a wire that has no place for it. It is told as words, and as JSON what is no text, where the
 * answer has told nothing else by its end: its caller has what it pays for, and no answer in words has the marks of its provider in it.
 */
export class OtherWords {
  #text = '';

  /** Of all that was taken; '' for nothing. */
  get text(): string {
    return this.#text;
  }

  /** Takes what comes with an answer, or a piece of one, that has told nothing so far. */
  take(answer: ChatCompletion | ChatCompletionChunk): void {
    for (const [, value] of answer[otherOutput]?.parts ?? []) {
      if (this.#text.length >= charactersMax) return;
      const words = typeof value === 'string' ? value : JSON.stringify(value);
      this.#text += words.slice(0, charactersMax - this.#text.length);
    }
  }
}
