import { countOrSample, sampleCharacters } from './sampled-count.js';
import { shortCharactersMax } from './token-counter.js';

/** Counts every letter `t` as a token, and only texts that are short enough together. */
function counterUpTo(charactersMax: number) {
  const asked: string[][] = [];
  const count = async (texts: readonly string[]) => {
    asked.push([...texts]);
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    return characters <= charactersMax ? texts.map((text) => text.split('t').length - 1) : null;
  };
  return { count, asked };
}

describe('countOrSample', () => {
  it('counts all of every group where that can be done', async () => {
    const counter = counterUpTo(100);
    expect(await countOrSample([['tata', 't'], [], ['xtx']], counter)).toEqual([3, 0, 1]);
    expect(counter.asked).toEqual([['tata', 't', 'xtx']]);
  });

  it('has a sample stand for each group that is long, and counts one that is short whole', async () => {
    const counter = counterUpTo(50_000);
    const groups = [['t---'.repeat(500_000)], ['tt', 't'], ['-t'.repeat(200_000), '', 'tttt'.repeat(90_000)]];
    const [first = 0, short, mixed = 0] = await countOrSample(groups, counter);
    expect(first / 500_000).toBeCloseTo(1, 2);
    expect(short).toBe(3);
    // One piece stands for the sixteenth in which the text changes.
    expect(mixed / 560_000).toBeGreaterThan(0.9);
    expect(mixed / 560_000).toBeLessThan(1.1);
  });

  it.each([
    ['one text', ['t---'.repeat(250_000)]],
    ['a million of a character each', Array.from({ length: 1_000_000 }, (_, index) => (index % 4 === 0 ? 't' : '-'))],
    ['many of any length', Array.from({ length: 1_400 }, (_, index) => 't---'.repeat(index % 358))],
  ])('takes a sample of the same size of each long text: %s', async (_, texts) => {
    const counter = counterUpTo(sampleCharacters);
    const [tokens = 0] = await countOrSample([texts], counter);
    expect(tokens / texts.join('').length).toBeCloseTo(1 / 4, 2);
    expect(counter.asked[1]?.join('')).toHaveLength(sampleCharacters);
  });

  it('begins each piece where nobody can know it', async () => {
    const text = Array.from({ length: 100_000 }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000))).join('');
    const counter = counterUpTo(sampleCharacters);
    await countOrSample([[text]], counter);
    await countOrSample([[text]], counter);
    expect(counter.asked[1]).not.toEqual(counter.asked[3]);
  });

  it('asks for what the tokenizer takes for short, of a prompt, an answer and its reasoning together', () => {
    expect(3 * sampleCharacters).toBeLessThanOrEqual(shortCharactersMax);
  });
});
