import { countAnswersNamedIn, mayHaveReferences, resolveReferences, writeOutput } from './item-references.js';

const answerId = '01KAG8N3VQ6Y2M4T7W9X0ZB1CD';
const message = (text: string, place = 0) => ({
  ...{ id: `msg_${answerId}${place}`, type: 'message', status: 'completed', role: 'assistant' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [{ token: text }] }],
});
const refer = (id: string) => ({ type: 'item_reference', id });
const keep = (...items: Parameters<typeof writeOutput>[0]) =>
  new Map([[answerId, writeOutput(items, 1_000_000) as string]]);

describe('The items that requests refer to', () => {
  it('are kept as far as they are read again, and not at all when they are too long', () => {
    expect(JSON.parse(writeOutput([message('Hi')], 1_000) ?? '')).toEqual([
      {
        id: `msg_${answerId}0`,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi' }],
      },
    ]);
    expect(writeOutput([message('x'.repeat(2_000))], 1_000)).toBeNull();
    // What is written longer than it is, counts as it is written.
    expect(writeOutput([message('\u0000'.repeat(400))], 1_000)).toBeNull();
    expect(writeOutput([], 1_000)).toBeNull();
  });

  it('stand in the place of their references, in the order of the input', () => {
    const earlier = keep(message('one'), message('two', 1));
    const input = [{ role: 'user' }, refer(`msg_${answerId}1`), refer(`msg_${answerId}0`)];
    expect(resolveReferences(input, earlier)).toMatchObject([
      { role: 'user' },
      { content: [{ text: 'two' }] },
      { content: [{ text: 'one' }] },
    ]);
    expect(resolveReferences('a text', earlier)).toBe('a text');
  });

  it('are named when they are gone, but for reasoning, which stays to be passed over', () => {
    const input = [refer(`rs_${answerId}3`), refer(`fc_${answerId}4`)];
    expect(() => resolveReferences(input, keep(message('one')))).toThrow(/'input\[1\]\.id'/);
    expect(resolveReferences(input.slice(0, 1), new Map())).toEqual(input.slice(0, 1));
  });

  it('may come to so much and no more', () => {
    const earlier = keep(message('x'.repeat(500_000)));
    const input = Array.from({ length: 17 }, () => refer(`msg_${answerId}0`));
    expect(resolveReferences(input.slice(1), earlier)).toHaveLength(16);
    expect(() => resolveReferences(input, earlier)).toThrow(/more than 8 MB/);
  });

  it('are counted by their answers before a body is parsed', () => {
    const body = JSON.stringify({ input: [refer(`msg_${answerId}0`), refer(`rs_${answerId}12`), refer('msg_theirs')] });
    const counts = new Map<string, number>();
    expect(mayHaveReferences(body)).toBe(true);
    countAnswersNamedIn(body, counts);
    expect([...counts]).toEqual([[answerId, 2]]);
    expect(mayHaveReferences(Buffer.from('{"input":"Hi"}'))).toBe(false);
  });
});
