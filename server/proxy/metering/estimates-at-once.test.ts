import { silentLogger } from '../../kernel/logger.js';
import { KeptText } from './kept-text.js';
import { TokenCounter, type TokenCounterOptions } from './token-counter.js';
import { estimateUsage, type MeterBounds } from './usage-estimate.js';

const thread = (source: string) => {
  const text = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (texts) => { ${source} });`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
};
const patientMs = 60_000;

const texts = {
  English: 'The quick brown fox jumps over the lazy dog and runs away from the hunters in the forest. ',
  Russian: 'Однажды весною, в час небывало жаркого заката, в Москве появились два гражданина. ',
  Chinese: '人工智能正在改变我们的生活和工作方式。',
  Hindi: 'भारत एक विशाल देश है और यहाँ अनेक भाषाएँ बोली जाती हैं। ',
  code: 'export class Account {\n            readonly balanceMillicredits: number;\n        }\n',
  spaces: ' '.repeat(100),
};

/** A call whose prompt and answer are both of this text, so often each. */
function callOf(words: string, times: number) {
  const prompt = words.repeat(times);
  const request = { messages: [{ role: 'user', content: prompt }] as const, max_completion_tokens: 1_000_000 };
  const bounds: MeterBounds = {
    ...{ promptTokensMax: Buffer.byteLength(prompt) + 16, imageTokensMax: 0, hiddenPromptTokensMax: 0, request },
  };
  const visible = new KeptText(10_000_000);
  for (let piece = 0; piece < times; piece += 1) visible.add(words);
  return {
    bounds,
    seen: { visible, reasoning: new KeptText(10), imageTokens: 0, otherTokens: 0, waits: [], unseenTokensPerMs: 0 },
  };
}

describe('Estimates', () => {
  const counters: TokenCounter[] = [];
  const open = (options: Partial<TokenCounterOptions> = {}) => {
    const counter = new TokenCounter({ logger: silentLogger, deadlineMs: patientMs, ...options });
    counters.push(counter);
    return counter;
  };
  afterEach(async () => {
    for (const counter of counters.splice(0)) await counter.close();
  });
  const estimate = async (words: string, times: number, counter: TokenCounter) => {
    const { bounds, seen } = callOf(words, times);
    const { promptTokens, visibleTokens } = await estimateUsage(bounds, seen, counter);
    return [promptTokens, visibleTokens] as const;
  };

  it('of 600 calls that break off at once are the same as of one that breaks off alone', async () => {
    const counter = open();
    const alone = await estimate(texts.English, 40, counter);
    const together = await Promise.all(Array.from({ length: 600 }, () => estimate(texts.English, 40, counter)));
    expect(together).toEqual(together.map(() => alone));
    expect(counter.givenUpCount).toBe(0);
  });

  // Of spaces there are too few tokens for a tenth.
  const { spaces: _, ...written } = texts;
  it.each(Object.entries(written))('of more than can be counted are right within a tenth, in %s', async (_, words) => {
    const counter = open();
    const times = Math.ceil(30_000 / words.length);
    const exact = await estimate(words, times, counter);
    const busy = open({ waitingCharactersMax: 50_000 });
    const together = await Promise.all(Array.from({ length: 20 }, () => estimate(words, times, busy)));
    expect(busy.givenUpCount).toBeGreaterThan(10);
    for (const estimated of together) expectWithin(estimated, exact, 1.1);
  });

  it.each([
    ['dies whenever it is asked', thread('process.exit(1);'), {}],
    ['never answers', thread(''), { deadlineMs: 30 }],
  ])('by a thread that %s are right within a half, in every language', async (_, program, options) => {
    const counter = open();
    for (const words of Object.values(texts)) {
      const times = Math.ceil(5_000 / words.length);
      const exact = await estimate(words, times, counter);
      expectWithin(await estimate(words, times, open({ program, ...options })), exact, 1.6);
    }
  });

  it('of a server that is closing are made at once, and right within a half', async () => {
    const exact = await estimate(texts.English, 40, open());
    const closing = open({ program: thread('') });
    const waiting = Array.from({ length: 400 }, () => estimate(texts.English, 40, closing));
    await closing.close();
    for (const estimated of await Promise.all(waiting)) expectWithin(estimated, exact, 1.5);
  });
});

function expectWithin(estimated: readonly number[], exact: readonly number[], factor: number): void {
  estimated.forEach((tokens, index) => {
    const of = exact[index] ?? 0;
    expect(tokens).toBeGreaterThan(of / factor);
    expect(tokens).toBeLessThan(of * factor);
  });
}
