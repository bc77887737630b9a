import fc from 'fast-check';
import { MemorySlidingWindow, windowMs } from './sliding-window.js';

describe('MemorySlidingWindow', () => {
  it('lets no more than the limit into any 60 seconds, and as many as that', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(20_000), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 12 }),
        async (gapsMs, limit) => {
          let nowMs = 0;
          const window = new MemorySlidingWindow(() => nowMs);
          const entered: number[] = [];
          for (const gapMs of gapsMs) {
            nowMs += gapMs;
            const inWindow = entered.filter((momentMs) => momentMs > nowMs - windowMs);
            const entry = window.enter({ accountId: 'a', limit: limit });
            // Exactly: refused if and only if the last 60 seconds are full.
            expect(entry.isEntered).toBe(inWindow.length < limit);
            if (entry.isEntered) entered.push(nowMs);
            expect(entry.count).toBe(inWindow.length + (entry.isEntered ? 1 : 0));
          }
          await window.close();
        },
      ),
    );
  });

  it('says when the oldest request leaves, and lets the next one in at that moment', async () => {
    let nowMs = 5;
    const window = new MemorySlidingWindow(() => nowMs);
    window.enter({ accountId: 'a', limit: 2 });
    nowMs += 20_000;
    expect(window.enter({ accountId: 'a', limit: 2 })).toEqual({ isEntered: true, count: 2, oldestLeavesInMs: 40_000 });
    nowMs += 39_999;
    expect(window.enter({ accountId: 'a', limit: 2 })).toEqual({ isEntered: false, count: 2, oldestLeavesInMs: 1 });
    nowMs += 1;
    expect(window.enter({ accountId: 'a', limit: 2 })).toEqual({ isEntered: true, count: 2, oldestLeavesInMs: 20_000 });
    expect(window.enter({ accountId: 'b', limit: 2 }).isEntered).toBe(true);
    await window.close();
  });
});
