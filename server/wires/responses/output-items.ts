import type { JsonBody } from '../../kernel/json-body.js';
import { createTextEvent, type EventBuffer, type TextEvent } from '../event-buffer.js';

/** One item of `output` that is being made. It tells its beginning when it is made, and its end when it is closed. */
export interface OpenItem {
  /** Tells the end and gives the whole item. */
  close(): JsonBody;
}

/** Where an item stands, and what it tells its events to, which numbers them. */
export interface ItemPlace {
  readonly id: string;
  /** Its place in `output`. */
  readonly index: number;
  readonly events: EventBuffer;
}

interface ContentPart {
  readonly type: 'output_text' | 'refusal';
  text: string;
  readonly logprobs: unknown[];
}

/** A message of the assistant: its text, and a refusal after or instead of it. */
export class MessageItem implements OpenItem {
  readonly #place: ItemPlace;
  readonly #parts: ContentPart[] = [];
  /** More of the last part, where nothing comes with the words. */
  #more: TextEvent | null = null;

  constructor(place: ItemPlace) {
    this.#place = place;
    const { id, index, events } = place;
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    events.tell('response.output_item.added', { output_index: index, item });
  }

  add(type: 'output_text' | 'refusal', delta: string, logprobs: readonly unknown[]): void {
    let part = this.#parts.at(-1);
    if (part?.type !== type) {
      this.#closePart();
      part = { type, text: '', logprobs: [] };
      this.#parts.push(part);
      this.#tell('response.content_part.added', { part: toContentPart(part) });
      this.#more = createTextEvent(`response.${type}.delta`, (text) => this.#toMore(type, text, []));
    }
    part.text += delta;
    for (const logprob of logprobs) part.logprobs.push(logprob);
    if (this.#more !== null && logprobs.length === 0) this.#place.events.tellText(this.#more, delta);
    else this.#place.events.tell(`response.${type}.delta`, this.#toMore(type, delta, logprobs));
  }

  close(): JsonBody {
    this.#closePart();
    const { id, index, events } = this.#place;
    const content = this.#parts.map(toContentPart);
    const item = { id, type: 'message', status: 'completed', role: 'assistant', content };
    events.tell('response.output_item.done', { output_index: index, item });
    return item;
  }

  #closePart(): void {
    const part = this.#parts.at(-1);
    if (part === undefined) return;
    const { type, text, logprobs } = part;
    this.#tell(`response.${type}.done`, type === 'output_text' ? { text, logprobs } : { refusal: text });
    this.#tell('response.content_part.done', { part: toContentPart(part) });
  }

  #toMore(type: ContentPart['type'], delta: string, logprobs: readonly unknown[]): JsonBody {
    return this.#inPart({ delta, ...(type === 'output_text' ? { logprobs } : {}) });
  }

  #tell(type: string, fields: JsonBody): void {
    this.#place.events.tell(type, this.#inPart(fields));
  }

  #inPart(fields: JsonBody): JsonBody {
    const { id, index } = this.#place;
    return { item_id: id, output_index: index, content_index: this.#parts.length - 1, ...fields };
  }
}

function toContentPart({ type, text, logprobs }: ContentPart): JsonBody {
  return type === 'output_text' ? { type, text, annotations: [], logprobs } : { type, refusal: text };
}

/** The thinking of the model: as a summary for a caller who asked for one, and sealed to be sent back. */
export class ReasoningItem implements OpenItem {
  readonly #place: ItemPlace;
  #summary: string | null = null;
  readonly #more: TextEvent;
  /** What the provider wants back; null: nothing. */
  sealed: string | null = null;

  constructor(place: ItemPlace) {
    this.#place = place;
    const { id, index, events } = place;
    events.tell('response.output_item.added', { output_index: index, item: { id, type: 'reasoning', summary: [] } });
    this.#more = createTextEvent('response.reasoning_summary_text.delta', (delta) => this.#inSummary({ delta }));
  }

  add(delta: string): void {
    if (this.#summary === null) {
      this.#summary = '';
      this.#tell('response.reasoning_summary_part.added', { part: { type: 'summary_text', text: '' } });
    }
    this.#summary += delta;
    this.#place.events.tellText(this.#more, delta);
  }

  close(): JsonBody {
    const text = this.#summary;
    const summary = text === null ? [] : [{ type: 'summary_text', text }];
    if (text !== null) {
      this.#tell('response.reasoning_summary_text.done', { text });
      this.#tell('response.reasoning_summary_part.done', { part: summary[0] });
    }
    const { id, index, events } = this.#place;
    const encrypted = this.sealed === null ? {} : { encrypted_content: this.sealed };
    const item = { id, type: 'reasoning', summary, ...encrypted };
    events.tell('response.output_item.done', { output_index: index, item });
    return item;
  }

  #tell(type: string, fields: JsonBody): void {
    this.#place.events.tell(type, this.#inSummary(fields));
  }

  #inSummary(fields: JsonBody): JsonBody {
    return { item_id: this.#place.id, output_index: this.#place.index, summary_index: 0, ...fields };
  }
}

/** A call of a function. */
export class FunctionCallItem implements OpenItem {
  #arguments = '';
  readonly #more: TextEvent;

  /** @param call What names it: `call_id`, `name` and, if it has one, `namespace`. */
  constructor(
    private readonly place: ItemPlace,
    private readonly call: JsonBody,
  ) {
    const { id, index, events } = place;
    events.tell('response.output_item.added', { output_index: index, item: this.#toItem('in_progress') });
    const inItem = { item_id: id, output_index: index };
    this.#more = createTextEvent('response.function_call_arguments.delta', (delta) => ({ ...inItem, delta }));
  }

  add(delta: string): void {
    if (delta === '') return;
    this.#arguments += delta;
    this.place.events.tellText(this.#more, delta);
  }

  close(): JsonBody {
    const { id, index, events } = this.place;
    const { name } = this.call;
    const done = { item_id: id, output_index: index, name, arguments: this.#arguments };
    events.tell('response.function_call_arguments.done', done);
    const item = this.#toItem('completed');
    events.tell('response.output_item.done', { output_index: index, item });
    return item;
  }

  #toItem(status: string): JsonBody {
    return { id: this.place.id, type: 'function_call', status, ...this.call, arguments: this.#arguments };
  }
}

/** A call of a custom tool, whose input can be told only when it is whole: on its way it stands inside of JSON. */
export class CustomCallItem implements OpenItem {
  #arguments = '';

  constructor(
    private readonly place: ItemPlace,
    private readonly call: JsonBody,
    private readonly readInput: (argumentsText: string) => string,
  ) {
    const { id, index, events } = place;
    events.tell('response.output_item.added', {
      output_index: index,
      item: { id, type: 'custom_tool_call', ...call, input: '' },
    });
  }

  add(delta: string): void {
    this.#arguments += delta;
  }

  close(): JsonBody {
    const { id, index, events } = this.place;
    const input = this.readInput(this.#arguments);
    events.tell('response.custom_tool_call_input.delta', { item_id: id, output_index: index, delta: input });
    events.tell('response.custom_tool_call_input.done', { item_id: id, output_index: index, input });
    const item = { id, type: 'custom_tool_call', ...this.call, input };
    events.tell('response.output_item.done', { output_index: index, item });
    return item;
  }
}
