import type {
  AssistantMessage,
  ChatCompletion,
  ChatCompletionChunk,
  ChatDelta,
  CompletionUsage,
  FinishReason,
} from '../../providers/chat-types.js';
import type { AnswerWire, WireError } from '../answer-wire.js';
import { toImageWords } from '../image-words.js';
import { OtherWords } from '../other-words.js';

/** The answer of OpenAI's old `POST /completions`: the text of each choice, and what else an answer has only where there is no text. */
export class CompletionsAnswer implements AnswerWire {
  #last: object | null = null;
  #hasTold = false;
  readonly #others = new OtherWords();

  /** @param wantsUsageChunk Whether a stream ends with a piece of usage. */
  constructor(private readonly wantsUsageChunk: boolean) {}

  get hasTold(): boolean {
    return this.#hasTold;
  }

  toBody(completion: ChatCompletion): (usage: CompletionUsage) => object {
    const choices = completion.choices.map(({ index, message, finish_reason: reason }) =>
      toChoice(index, toText(message), reason),
    );
    this.#others.take(completion);
    // Its model made them although no tool can be offered here, and they are charged as any output.
    this.#others.takeCalls(completion.choices.map(({ message }) => message));
    const [first] = choices;
    if (first && choices.every(({ text }) => text === '')) first.text = this.#others.words || this.#others.thoughts;
    return (usage) => ({ ...toHead(completion), choices, usage });
  }

  toEvents(chunk: ChatCompletionChunk): string {
    const choices = chunk.choices.map(({ index, delta, finish_reason: reason }) =>
      toChoice(index, toText(delta), reason),
    );
    this.#hasTold ||= choices.some(({ text }) => text !== '');
    if (!this.#hasTold) {
      this.#others.take(chunk);
      this.#others.takeCalls(chunk.choices.map(({ delta }) => delta));
    }
    this.#last = toHead(chunk);
    // What only says that an answer begins, or thinks, has no text.
    const isNews = choices.some(({ text, finish_reason: reason }) => text !== '' || reason !== null);
    if (!isNews) return '';
    return toEvent({ ...this.#last, choices, ...(this.wantsUsageChunk ? { usage: null } : {}) });
  }

  toEnd(usage: CompletionUsage): string {
    const text = this.#others.words || this.#others.thoughts;
    const others = this.#hasTold || text === '' ? '' : toEvent({ ...this.#last, choices: [toChoice(0, text, null)] });
    const last = this.wantsUsageChunk && this.#last ? toEvent({ ...this.#last, choices: [], usage }) : '';
    return `${others}${last}data: [DONE]\n\n`;
  }

  toFailure({ body }: WireError): string {
    return toEvent(body);
  }
}

function toHead({ id, created, model }: ChatCompletion | ChatCompletionChunk): object {
  return { id, object: 'text_completion', created, model };
}

function toText({ content, refusal, images }: ChatDelta | AssistantMessage): string {
  return `${content ?? refusal ?? ''}${toImageWords(images)}`;
}

function toChoice(index: number, text: string, reason: FinishReason | null) {
  const isCall = reason === 'tool_calls' || reason === 'function_call';
  return { index, text, logprobs: null, finish_reason: isCall ? 'stop' : reason };
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
