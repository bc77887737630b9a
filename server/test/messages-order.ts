import { expectSame, expectSameEach } from './expect-same.js';
import type { MessagesBlock, MessagesEvent } from './messages-shape.js';

type EventOf<Type extends MessagesEvent['type']> = Extract<MessagesEvent, { type: Type }>;

const deltaTypes: Readonly<Record<MessagesBlock['type'], readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};

/**
 * Fails unless the events of a stream stand in the documented order: one `message_start`, one block after the other, each begun empty,
 * grown by deltas of its own kind and closed, then `message_delta` and `message_stop`. An error may end the stream anywhere.
 */
export function checkMessagesOrder(all: readonly MessagesEvent[]): void {
  const events = all.filter(({ type }) => type !== 'ping');
  const last = events.at(-1);
  const isBroken = last?.type === 'error';
  if (events.length > 1 || !isBroken) expect(events[0]?.type).toBe('message_start');
  const middle = isBroken ? events.slice(1, -1) : events.slice(1, -2);
  if (!isBroken) {
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
  }
  let open: EventOf<'content_block_start'> | null = null;
  let deltas: string[] = [];
  let nextIndex = 0;
  for (const event of middle) {
    switch (event.type) {
      case 'content_block_start':
        expectSameEach([open, event.index], [null, nextIndex]);
        checkStart(event.content_block);
        [open, deltas] = [event, []];
        break;
      case 'content_block_delta':
        expectSame(event.index, open?.index);
        checkDelta(event.delta.type, open === null ? [] : deltaTypes[open.content_block.type]);
        deltas.push(event.delta.type);
        break;
      case 'content_block_stop':
        expectSame(event.index, open?.index);
        if (open?.content_block.type === 'thinking') expect(deltas.indexOf('signature_delta')).toBe(deltas.length - 1);
        open = null;
        nextIndex += 1;
        break;
      default:
        throw new Error(`${event.type} stands in the middle of a stream.`);
    }
  }
  if (!isBroken) expect(open).toBeNull();
}

function checkDelta(type: string, known: readonly string[]): void {
  if (!known.includes(type)) expect(known).toContain(type);
}

function checkStart(block: MessagesBlock): void {
  if (block.type === 'text') expect(block.text).toBe('');
  if (block.type === 'thinking') expect([block.thinking, block.signature]).toEqual(['', '']);
  if (block.type === 'tool_use') expect(block.input).toEqual({});
}
