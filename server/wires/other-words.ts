import { readUncommonFields } from '../providers/answers/uncommon-fields.js';
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
 * What an answer brings that its wire has no place for: fields that nobody lists, calls in the form before tools, and thinking. A wire tells it where the
 * answer has told nothing else by its end: its caller has what it pays for, and no answer in words has the marks of its provider, or thinking, in it.
 */
export class OtherWords {
  #words = '';
  #thoughts = '';
  #detailedThoughts = '';

  /** In words, and in JSON what is no text; '' for nothing. */
  get words(): string {
    return this.#words;
  }

  /** What was thought; '' for nothing. Its details mostly repeat it. */
  get thoughts(): string {
    return this.#thoughts || this.#detailedThoughts;
  }

  /** Takes what comes with an answer, or a piece of one, that has told nothing so far. */
  take(answer: ChatCompletion | ChatCompletionChunk): void {
    for (const [, value] of answer[otherOutput]?.parts ?? []) {
      if (this.#words.length >= charactersMax) break;
      this.#words = join(this.#words, typeof value === 'string' ? value : JSON.stringify(value));
    }
    for (const { message, delta } of answer.choices) this.#takeSaid((message ?? delta ?? {}) as ChatDelta);
  }

  /** Takes the calls of tools in what its choices say, for a wire that has no place for these either. */
  takeCalls(said: readonly (AssistantMessage | ChatDelta)[]): void {
    for (const { tool_calls: calls } of said) {
      for (const { function: target } of calls ?? []) {
        const name = target?.name ? `${this.#words === '' ? '' : '\n'}${target.name} ` : '';
        this.#words = join(this.#words, `${name}${target?.arguments ?? ''}`);
      }
    }
  }

  #takeSaid(said: ChatDelta): void {
    const { visible, reasoning } = readUncommonFields(said);
    if (!said.tool_calls?.length) this.#words = join(this.#words, visible.join(' '));
    const told = said.reasoning_content || said.reasoning;
    if (typeof told === 'string') this.#thoughts = join(this.#thoughts, told);
    this.#detailedThoughts = join(this.#detailedThoughts, reasoning.join(''));
  }
}

function join(text: string, more: string): string {
  return text + more.slice(0, Math.max(0, charactersMax - text.length));
}
