import { toMillicredits } from '../kernel/millicredits.js';
import { estimateMaximumCost, findPromptTokensMax, type PromptToSize } from './estimate-maximum-cost.js';

const frame = 64;

function sizeOf(changes: Partial<PromptToSize>): number {
  return findPromptTokensMax({ messages: [], ...changes });
}

function imageOf(detail?: 'auto' | 'low' | 'high') {
  return [
    { content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9_999)}`, detail } }] },
  ] as const;
}

describe('findPromptTokensMax', () => {
  it('counts every byte of text, and 16 for each message', () => {
    expect(sizeOf({ messages: [{ content: 'abc' }] })).toBe(frame + 16 + 3);
    expect(sizeOf({ messages: [{ content: '€😀' }, { content: null }] })).toBe(frame + 32 + 7);
  });

  it('counts text in parts, refusals, names and tool calls', () => {
    const parts = [
      { type: 'text', text: 'ab' },
      { type: 'refusal', refusal: 'c' },
    ] as const;
    expect(sizeOf({ messages: [{ content: parts, name: 'me', refusal: 'no' }] })).toBe(frame + 16 + 3 + 4);
    const call = { id: 'id', function: { name: 'f', arguments: '{}' } };
    expect(sizeOf({ messages: [{ content: null, tool_calls: [call], tool_call_id: 'x' }] })).toBe(
      frame + 16 + 16 + 5 + 1,
    );
  });

  it('counts thinking that comes back, with its signature', () => {
    const details = [{ text: 'Hm', signature: 'sig' }];
    expect(sizeOf({ messages: [{ content: null, reasoning_details: details }] })).toBe(
      frame + 16 + JSON.stringify(details).length,
    );
  });

  it('counts long thinking by its own bytes, and no less than a tokenizer could make of it', () => {
    const text = 'é"\\n'.repeat(100_000);
    const size = sizeOf({ messages: [{ content: null, reasoning_details: [{ text, index: 1 }, { text: 'Hm' }] }] });
    expect(size).toBeGreaterThanOrEqual(Buffer.byteLength(text));
    expect(size).toBeLessThan(Buffer.byteLength(text) + 200);
  });

  it('counts what goes back to a provider with its own tool calls', () => {
    const call = { id: '', function: { name: '', arguments: '' } };
    const signed = { ...call, extra_content: { google: { thought_signature: 'x'.repeat(1_000) } } };
    const grown = sizeOf({ messages: [{ tool_calls: [signed] }] }) - sizeOf({ messages: [{ tool_calls: [call] }] });
    expect(grown).toBeGreaterThanOrEqual(1_000);
    const { extra_content } = signed;
    expect(sizeOf({ messages: [{ extra_content }] }) - sizeOf({ messages: [{}] })).toBeGreaterThanOrEqual(1_000);
  });

  it('counts how much numbers in a text may grow for no more of them than are read, in all texts together', () => {
    const sizeOfNumbers = (count: number) =>
      sizeOf({
        messages: [
          { role: 'tool', content: '1e20,'.repeat(count) },
          { role: 'tool', content: '1e20,'.repeat(count) },
        ],
      });
    expect(sizeOfNumbers(10_000) - sizeOfNumbers(0)).toBe(2 * 10_000 * (5 + 17));
    expect(sizeOfNumbers(50_000) - sizeOfNumbers(0)).toBe(2 * 50_000 * 5 + 25_000 * 17);
  });

  it('counts tools and the response format as they are written', () => {
    expect(sizeOf({ tools: [{ a: 'é' }], response_format: { type: 'text' } })).toBe(frame + 12 + 15);
  });

  it('counts an image by its detail, not by the length of its address', () => {
    const image = { low: 10, high: 500 };
    expect(findPromptTokensMax({ messages: imageOf('low') }, image)).toBe(frame + 16 + 10);
    expect(findPromptTokensMax({ messages: imageOf('high') }, image)).toBe(frame + 16 + 500);
    expect(findPromptTokensMax({ messages: imageOf('auto') }, image)).toBe(frame + 16 + 500);
    expect(findPromptTokensMax({ messages: imageOf() }, image)).toBe(frame + 16 + 500);
  });

  it('takes the dearest image of the price list where the model is not told', () => {
    expect(sizeOf({ messages: imageOf() })).toBeGreaterThan(2_833 + 8 * 5_667);
  });

  it('refuses an image for a model without images, and names the place', () => {
    expect(() => findPromptTokensMax({ messages: imageOf() }, null)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'messages[0].content[0]' }),
    );
  });
});

describe('estimateMaximumCost', () => {
  const higher = toMillicredits(2);

  it('is tier × (prompt + cap × choices)', () => {
    const bounds = { millicreditsPerToken: higher, promptTokensMax: 100, outputTokensMax: 50, choices: 3 };
    expect(estimateMaximumCost(bounds)).toBe(500);
  });

  it.each([[-1], [0.5], [Number.NaN], [Number.MAX_SAFE_INTEGER]])('refuses a cap of %d', (outputTokensMax) => {
    const bounds = { millicreditsPerToken: higher, promptTokensMax: 1, outputTokensMax, choices: 2 };
    expect(() => estimateMaximumCost(bounds)).toThrow('Invariant');
  });
});
