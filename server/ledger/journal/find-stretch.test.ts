import { findStretch, type TimedLine } from './find-stretch.js';

const dayMs = 86_400_000;

/** Lines of a hundred days, one after the other; a clock was set by some of them meanwhile, and right again. */
function makeLines(random: () => number): TimedLine[] {
  const [begin, length] = [Math.floor(random() * 900), Math.floor(random() * 200)];
  const stepMs = (random() - 0.5) * 2_000 * dayMs;
  return Array.from({ length: 1_000 }, (_, n) => {
    const isSet = n >= begin && n < begin + length;
    return { walletSeq: n + 1, atMs: n * 0.1 * dayMs + (isSet ? stepMs : 0) };
  });
}

/** Numbers that seem to be at random, and are the same each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('The stretch of a statement that a span of time lies in', () => {
  it('has each line that was booked by a clock that was right, however far it was set beside', () => {
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const random = randomFrom(seed);
      const lines = makeLines(random);
      const every = 1 + Math.floor(random() * 60);
      const marks = lines.filter(({ walletSeq }) => (walletSeq - 1) % every === 0 || walletSeq === 1_000);
      const fromMs = random() * 100 * dayMs;
      const toMs = fromMs + random() * 20 * dayMs;
      const found = findStretch(marks, { fromMs, toMs });
      const missed = lines.filter(({ walletSeq, atMs }) => {
        const isRight = atMs === (walletSeq - 1) * 0.1 * dayMs;
        if (!isRight || atMs < fromMs || atMs > toMs) return false;
        return found === null || walletSeq < found.firstSeq || walletSeq > (found.lastSeq ?? 1_000);
      });
      expect([seed, missed]).toEqual([seed, []]);
    }
  });

  it('has little beside them where no clock was set', () => {
    const lines = Array.from({ length: 101 }, (_, n) => ({ walletSeq: 1 + n * 10, atMs: n * dayMs }));
    expect(findStretch(lines, { fromMs: 20.5 * dayMs, toMs: 30.5 * dayMs })).toEqual({ firstSeq: 191, lastSeq: 321 });
    expect(findStretch(lines, { fromMs: 20.5 * dayMs, toMs: Number.POSITIVE_INFINITY })).toEqual({
      firstSeq: 191,
      lastSeq: null,
    });
    expect(findStretch(lines, { fromMs: Number.NEGATIVE_INFINITY, toMs: -1 })).toBeNull();
    expect(findStretch(lines, { fromMs: 200 * dayMs, toMs: 300 * dayMs })).toBeNull();
  });
});
