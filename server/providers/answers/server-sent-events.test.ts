import fc from 'fast-check';
import type { ServerSentEvent } from '../provider-adapter.js';
import { EventTooLargeError, ServerSentEventDecoder } from './server-sent-events.js';

const plain = (data: string): ServerSentEvent => ({ name: null, data });

// Every way in which streams were seen to be written, with what must come of it.
const corpus: readonly (readonly [string, string, readonly ServerSentEvent[]])[] = [
  ['LF', 'data: {"a":1}\n\ndata: [DONE]\n\n', [plain('{"a":1}'), plain('[DONE]')]],
  ['CRLF', 'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n', [plain('{"a":1}'), plain('[DONE]')]],
  ['CR alone', 'data: one\r\rdata: two\r\r', [plain('one'), plain('two')]],
  ['no space after the colon', 'data:one\n\ndata: two\n\n', [plain('one'), plain('two')]],
  ['data over several lines', 'data: {"a":\ndata: 1}\n\n', [plain('{"a":\n1}')]],
  ['a byte order mark', '\uFEFFdata: one\n\n', [plain('one')]],
  ['comments', ': hello\n\ndata: one\n: between\n\n:\n\n', [plain('one')]],
  ['a name', 'event: error\ndata: {}\n\n', [{ name: 'error', data: '{}' }]],
  ['fields that nobody knows', 'id: 1\nretry: soon\ncolour: red\ndata: one\n\n', [plain('one')]],
  ['characters of several bytes', 'data: é€😀\u2028\n\n', [plain('é€😀\u2028')]],
  ['a NUL', 'data: a\0b\n\n', [plain('a\0b')]],
  ['an end without its blank line', 'data: one\n\ndata: two', [plain('one'), plain('two')]],
  ['mixed ends of lines', 'data: one\r\n\ndata: two\n\r\n', [plain('one'), plain('two')]],
];

function decode(pieces: readonly Buffer[]): ServerSentEvent[] {
  const decoder = new ServerSentEventDecoder(1_000);
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

describe('ServerSentEventDecoder', () => {
  it.each(corpus)('reads %s', (_name, text, events) => {
    expect(decode([Buffer.from(text)])).toEqual(events);
  });

  it.each(corpus)('reads %s the same byte by byte', (_name, text, events) => {
    expect(decode([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(events);
  });

  it('reads the whole corpus the same for every way of cutting it', () => {
    const bytes = Buffer.from(
      corpus
        .slice(0, -2)
        .map(([, text]) => text.replace('\uFEFF', ''))
        .join(''),
    );
    const whole = decode([bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(decode(cutAt(bytes, cuts))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('reads any bytes the same for every way of cutting them', () => {
    const text = fc.string({
      unit: fc.constantFrom('d', 'data', ':', ' ', '\n', '\r', '\r\n', 'é', '\0', 'event:', '\uFEFF'),
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (lines, cuts) => {
        const bytes = Buffer.from(lines);
        expect(decode(cutAt(bytes, cuts))).toEqual(decode([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the events before a too large one, then refuses', () => {
    const decoder = new ServerSentEventDecoder(100);
    expect(decoder.push(Buffer.from(`data: one\n\ndata: ${'x'.repeat(200)}`))).toEqual([plain('one')]);
    expect(() => decoder.push(Buffer.from('more'))).toThrow(EventTooLargeError);
    expect(() => decoder.end()).toThrow(EventTooLargeError);
  });

  it('refuses an event that is too large only by its many lines', () => {
    const decoder = new ServerSentEventDecoder(100);
    expect(() => {
      for (let line = 0; line < 50; line += 1) decoder.push(Buffer.from('data: 12345\n'));
    }).toThrow(EventTooLargeError);
  });
});
