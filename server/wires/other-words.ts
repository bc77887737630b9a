import {
  type AssistantMessage,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatDelta,
  otherOutput,
} from '../providers/chat-types.js';

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
      this.#add(typeof value === 'string' ? value : JSON.stringify(value));
    }
  }

  /** Takes the calls of tools in what its choices say, for a wire that has no place for these either. */
  takeCalls(said: readonly (AssistantMessage | ChatDelta)[]): void {
    for (const { tool_calls: calls } of said) {
      for (const { function: target } of calls ?? []) {
        const name = target?.name ? `${this.#text === '' ? '' : '\n'}${target.name} ` : '';
        this.#add(`${name}${target?.arguments ?? ''}`);
      }
    }
  }

  #add(words: string): void {
    this.#text += words.slice(0, Math.max(0, charactersMax - this.#text.length));
  }
}
