import type { JsonBody } from '../../kernel/json-body.js';

/** Takes one event of a Responses stream: its type, and its fields without the number in the sequence. */
export type EventSink = (type: string, fields: JsonBody) => void;

/** One item of `output` that is being made. It tells its beginning when it is made, and its end when it is closed. */
export interface OpenItem {
  /** Tells the end and gives the whole item. */
  close(): JsonBody;
}

interface ItemPlace {
  readonly id: string;
  /** Its place in `output`. */
  readonly index: number;
  readonly tell: EventSink;
}

/** A message of the assistant: its text, and a refusal after or instead of it. */
export class MessageItem implements OpenItem {
  readonly #place: ItemPlace;
  readonly #parts: { readonly type: 'output_text' | 'refusal'; text: string; readonly logprobs: unknown[] }[] = [];

  constructor(place: ItemPlace) {
    this.#place = place;
    const { id, index, tell } = place;
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    tell('response.output_item.added', { output_index: index, item });
  }

  add(type: 'output_text' | 'refusal', delta: string, logprobs: readonly unknown[]): void {
    let part = this.#parts.at(-1);
    if (part?.type !== type) {
      this.#closePart();
      part = { type, text: '', logprobs: [] };
      this.#parts.push(part);
      this.#tell('response.content_part.added', { part: toContentPart(part) });
    }
    part.text += delta;
    part.logprobs.push(...logprobs);
    this.#tell(`response.${type}.delta`, { delta, ...(type === 'output_text' ? { logprobs } : {}) });
  }

  close(): JsonBody {
    this.#closePart();
    const { id, index, tell } = this.#place;
    const content = this.#parts.map(toContentPart);
    const item = { id, type: 'message', status: 'completed', role: 'assistant', content };
    tell('response.output_item.done', { output_index: index, item });
    return item;
  }

  #closePart(): void {
    const part = this.#parts.at(-1);
    if (part === undefined) return;
    const { type, text, logprobs } = part;
    this.#tell(`response.${type}.done`, type === 'output_text' ? { text, logprobs } : { refusal: text });
    this.#tell('response.content_part.done', { part: toContentPart(part) });
  }

  #tell(type: string, fields: JsonBody): void {
    const { id, index, tell } = this.#place;
    tell(type, { item_id: id, output_index: index, content_index: this.#parts.length - 1, ...fields });
  }
}

function toContentPart({ type, text, logprobs }: { type: string; text: string; logprobs: unknown[] }): JsonBody {
  return type === 'output_text' ? { type, text, annotations: [], logprobs } : { type, refusal: text };
}

/** The thinking of the model: as a summary for a caller who asked for one, and sealed to be sent back. */
export class ReasoningItem implements OpenItem {
  readonly #place: ItemPlace;
  #summary: string | null = null;
  /** What the provider wants back; null: nothing. */
  sealed: string | null = null;

  constructor(place: ItemPlace) {
    this.#place = place;
    const { id, index, tell } = place;
    tell('response.output_item.added', { output_index: index, item: { id, type: 'reasoning', summary: [] } });
  }

  add(delta: string): void {
    if (this.#summary === null) {
      this.#summary = '';
      this.#tell('response.reasoning_summary_part.added', { part: { type: 'summary_text', text: '' } });
    }
    this.#summary += delta;
    this.#tell('response.reasoning_summary_text.delta', { delta });
  }

  close(): JsonBody {
    const text = this.#summary;
    const summary = text === null ? [] : [{ type: 'summary_text', text }];
    if (text !== null) {
      this.#tell('response.reasoning_summary_text.done', { text });
      this.#tell('response.reasoning_summary_part.done', { part: summary[0] });
    }
    const { id, index, tell } = this.#place;
    const encrypted = this.sealed === null ? {} : { encrypted_content: this.sealed };
    const item = { id, type: 'reasoning', summary, ...encrypted };
    tell('response.output_item.done', { output_index: index, item });
    return item;
  }

  #tell(type: string, fields: JsonBody): void {
    const { id, index, tell } = this.#place;
    tell(type, { item_id: id, output_index: index, summary_index: 0, ...fields });
  }
}

/** A call of a function. */
export class FunctionCallItem implements OpenItem {
  #arguments = '';

  /** @param call What names it: `call_id`, `name` and, if it has one, `namespace`. */
  constructor(
    private readonly place: ItemPlace,
    private readonly call: JsonBody,
  ) {
    place.tell('response.output_item.added', { output_index: place.index, item: this.#toItem('in_progress') });
  }

  add(delta: string): void {
    if (delta === '') return;
    this.#arguments += delta;
    this.#tell('response.function_call_arguments.delta', { delta });
  }

  close(): JsonBody {
    const { name } = this.call;
    this.#tell('response.function_call_arguments.done', { name, arguments: this.#arguments });
    const item = this.#toItem('completed');
    this.place.tell('response.output_item.done', { output_index: this.place.index, item });
    return item;
  }

  #toItem(status: string): JsonBody {
    return { id: this.place.id, type: 'function_call', status, ...this.call, arguments: this.#arguments };
  }

  #tell(type: string, fields: JsonBody): void {
    this.place.tell(type, { item_id: this.place.id, output_index: this.place.index, ...fields });
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
    const { id, index, tell } = place;
    tell('response.output_item.added', {
      output_index: index,
      item: { id, type: 'custom_tool_call', ...call, input: '' },
    });
  }

  add(delta: string): void {
    this.#arguments += delta;
  }

  close(): JsonBody {
    const { id, index, tell } = this.place;
    const input = this.readInput(this.#arguments);
    tell('response.custom_tool_call_input.delta', { item_id: id, output_index: index, delta: input });
    tell('response.custom_tool_call_input.done', { item_id: id, output_index: index, input });
    const item = { id, type: 'custom_tool_call', ...this.call, input };
    tell('response.output_item.done', { output_index: index, item });
    return item;
  }
}
