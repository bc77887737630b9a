import { mock } from 'node:test';
import { encodeJson } from './encode-json.js';

const long = 'x'.repeat(300_000);

describe('encodeJson', () => {
  it('writes a small value at once', () => {
    expect(encodeJson({ a: 1, b: undefined, c: ['ä', null] })).toBe('{"a":1,"c":["ä",null]}');
  });

  it.each([
    ['a long text', { a: long, b: 1 }],
    ['a long text of characters of two halves', { a: `x${'😀'.repeat(300_000)}` }],
    ['a long text with half a character at every place', { a: '\ud800'.repeat(300_000), b: '\udc00\ud800' }],
    ['a long text of escapes', { a: '"\\\n\u0000'.repeat(100_000) }],
    ['many parts', { a: Array.from({ length: 20_000 }, (_, index) => ({ index, text: `t${index}` })) }],
    ['what is absent', { [long]: undefined, a: [undefined, null, long], b: {}, c: [], d: { e: undefined }, f: true }],
    ['a list', [long, [long], {}, []]],
  ])('writes %s in steps, exactly as JSON.stringify does', async (_, value) => {
    const encoded = encodeJson(value);
    expect(encoded).toBeInstanceOf(Promise);
    const text = Buffer.concat((await encoded) as Buffer[]).toString();
    expect(text === JSON.stringify(value)).toBe(true);
  });

  it('lets the event loop go on while it writes a long text', async () => {
    expect(await countTurns({ a: 'y'.repeat(8 * 1024 * 1024) })).toBeGreaterThanOrEqual(10);
  });

  it('lets the event loop go on while it writes many little parts, however few characters they have', async () => {
    let nowMs = 0;
    const clock = mock.method(performance, 'now', () => {
      nowMs += 1;
      return nowMs;
    });
    expect(await countTurns({ a: Array.from({ length: 6_000 }, () => ({})) })).toBeGreaterThanOrEqual(1_000);
    clock.mock.restore();
  });

  /** How often others had their turn. */
  async function countTurns(value: object): Promise<number> {
    let turns = 0;
    const tick = () => {
      turns += 1;
      ticking = setImmediate(tick);
    };
    let ticking = setImmediate(tick);
    await encodeJson(value);
    clearImmediate(ticking);
    return turns;
  }
});
