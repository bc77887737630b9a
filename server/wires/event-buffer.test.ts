import fc from 'fast-check';
import { createTextEvent, EventBuffer } from './event-buffer.js';

describe('EventBuffer', () => {
  it('writes an event of which only the text is new as it writes one that is all new', () => {
    const toFields = (text: string) => ({ item_id: 'msg_1', delta: { type: 'text', text }, logprobs: [] });
    const event = createTextEvent('response.output_text.delta', toFields);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\n', '\u2028', '\ud800', 'probe 7c1e9a04', '$&'),
    );
    fc.assert(
      fc.property(fc.array(text), fc.boolean(), (texts, isNumbered) => {
        const [whole, spliced] = [new EventBuffer({ isNumbered }), new EventBuffer({ isNumbered })];
        for (const each of texts) {
          whole.tell('response.output_text.delta', toFields(each));
          spliced.tellText(event, each);
        }
        expect(spliced.take()).toBe(whole.take());
        expect(spliced.count).toBe(texts.length);
      }),
    );
  });

  it('numbers the events from 0, and writes one without fields', () => {
    const events = new EventBuffer({ isNumbered: true });
    events.tell('one', {});
    events.tell('two', { a: 1 });
    expect(events.take()).toBe(
      'event: one\ndata: {"type":"one","sequence_number":0}\n\nevent: two\ndata: {"type":"two","sequence_number":1,"a":1}\n\n',
    );
    expect(events.take()).toBe('');
  });

  it('refuses an event whose text stands in it twice, or not at all', () => {
    expect(() => createTextEvent('odd', (text) => ({ text, again: text }))).toThrow('odd has no one text');
    expect(() => createTextEvent('odd', () => ({}))).toThrow('odd has no one text');
  });

  it('tells nothing of a plain answer', () => {
    const events = new EventBuffer();
    events.turnOff();
    events.tell('one', {});
    events.tellText(
      createTextEvent('two', (text) => ({ text })),
      'a',
    );
    expect(events.take()).toBe('');
  });
});
