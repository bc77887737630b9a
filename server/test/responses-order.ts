import { expectSame, expectSameEach } from './expect-same.js';
import type { ResponsesEvent, ResponsesItem } from './responses-shape.js';

type ItemEvent = Exclude<ResponsesEvent, { response: unknown }>;
type EventOf<Type extends ItemEvent['type']> = Extract<ItemEvent, { type: Type }>;

/** One item of `output` on its way. */
interface OpenItem {
  readonly item: ResponsesItem;
  /** What its deltas made so far, of the part that is open. */
  text: string;
  /** Whether its text, arguments or input were told whole. */
  isTextDone: boolean;
  hasOpenPart: boolean;
  /** Its parts that were told whole. */
  readonly parts: object[];
}

/**
 * Fails unless the events of a stream stand in the documented order: numbered from 0, begun by `created` and `in_progress`, ended by
 * one terminal event; each item, part and text begun before it grows, told whole as it grew, and closed before the end, which
 * repeats all items.
 */
export function checkResponsesOrder(events: readonly ResponsesEvent[]): void {
  expectSameEach(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
  const withResponse = events.flatMap((event) => ('response' in event ? [event] : []));
  expect(withResponse).toHaveLength(3);
  const [created, , last] = withResponse;
  if (created === undefined || last === undefined) throw new Error('The stream is empty.');
  expect(last).toBe(events.at(-1));
  expect(last.type).toBe(`response.${last.response.status}`);
  for (const { response } of withResponse) {
    const { id, model, created_at } = created.response;
    expect(response).toMatchObject({ id, model, created_at });
  }
  expect(created.response.output).toEqual([]);

  const order = new ItemOrder();
  for (const event of events) if (!('response' in event)) order.take(event);
  expect(last.response.output).toEqual(order.finish());
}

class ItemOrder {
  readonly #open = new Map<number, OpenItem>();
  readonly #done = new Map<number, ResponsesItem>();

  take(event: ItemEvent): void {
    if (event.type === 'response.output_item.added') {
      this.#begin(event);
      return;
    }
    const open = this.#open.get(event.output_index);
    if (open === undefined) throw new Error(`${event.type} of an item that is not open.`);
    if (event.type === 'response.output_item.done') {
      this.#end(event, open);
      return;
    }
    expectSame(event.item_id, open.item.id);
    takePiece(event, open);
  }

  /** @returns every item, in the order of their places. */
  finish(): readonly ResponsesItem[] {
    expectSameEach([...this.#open.keys()], []);
    return [...this.#done].sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  #begin({ output_index: index, item }: EventOf<'response.output_item.added'>): void {
    expectSame(index, this.#open.size + this.#done.size);
    const known = [...this.#open.values()].map((open) => open.item).concat([...this.#done.values()]);
    expect(known.map(({ id }) => id)).not.toContain(item.id);
    if ('status' in item) expectSame(item.status, 'in_progress');
    expect(contentOf(item)).toHaveLength(0);
    this.#open.set(index, { item, text: '', isTextDone: false, hasOpenPart: false, parts: [] });
  }

  #end({ output_index: index, item }: EventOf<'response.output_item.done'>, open: OpenItem): void {
    expect({ id: item.id, type: item.type }).toEqual({ id: open.item.id, type: open.item.type });
    if ('status' in item) expectSame(item.status, 'completed');
    expectSame(open.hasOpenPart, false);
    const content = contentOf(item);
    if (typeof content === 'string') expectSameEach([content, open.isTextDone], [open.text, true]);
    else expect(content).toEqual(open.parts);
    this.#open.delete(index);
    this.#done.set(index, item);
  }
}

function takePiece(event: Exclude<ItemEvent, { item: unknown }>, open: OpenItem): void {
  switch (event.type) {
    case 'response.content_part.added':
    case 'response.reasoning_summary_part.added':
      expectSameEach([open.hasOpenPart, indexOf(event)], [false, open.parts.length]);
      expectSame(textOf(event.part), '');
      Object.assign(open, { hasOpenPart: true, isTextDone: false, text: '' });
      break;
    case 'response.content_part.done':
    case 'response.reasoning_summary_part.done':
      expectSameEach([open.hasOpenPart, open.isTextDone, indexOf(event)], [true, true, open.parts.length]);
      expectSame(textOf(event.part), open.text);
      open.parts.push(event.part);
      open.hasOpenPart = false;
      break;
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      expectSame(open.isTextDone, false);
      open.text += event.delta;
      break;
    case 'response.function_call_arguments.done':
      expectSame(event.arguments, open.text);
      open.isTextDone = true;
      break;
    case 'response.custom_tool_call_input.done':
      expectSame(event.input, open.text);
      open.isTextDone = true;
      break;
    default:
      takeText(event, open);
  }
}

function takeText(
  event: EventOf<
    | `response.output_text.${'delta' | 'done'}`
    | `response.refusal.${'delta' | 'done'}`
    | `response.reasoning_summary_text.${'delta' | 'done'}`
  >,
  open: OpenItem,
): void {
  expectSameEach([open.hasOpenPart, open.isTextDone, indexOf(event)], [true, false, open.parts.length]);
  if ('delta' in event) {
    open.text += event.delta;
    return;
  }
  expectSame('refusal' in event ? event.refusal : event.text, open.text);
  open.isTextDone = true;
}

function indexOf(event: { content_index: number } | { summary_index: number }): number {
  return 'content_index' in event ? event.content_index : event.summary_index;
}

function textOf(part: { text: string } | { refusal: string }): string {
  return 'refusal' in part ? part.refusal : part.text;
}

function contentOf(item: ResponsesItem): string | readonly object[] {
  switch (item.type) {
    case 'message':
      return item.content;
    case 'reasoning':
      return item.summary;
    case 'function_call':
      return item.arguments;
    case 'custom_tool_call':
      return item.input;
  }
}
