import fc from 'fast-check';
import { MemoryTokenLog } from './token-log.js';

const ask = (tokens: number, limit = 100, ownerId = 'a') => ({ ownerId, tokens, limit });

describe('MemoryTokenLog', () => {
  it('lets no more than the limit into any 60 seconds, and all of it again a second later at the latest', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 200 }),
        async (calls) => {
          let nowMs = 0;
          const log = new MemoryTokenLog(() => nowMs);
          const entered: { atMs: number; tokens: number }[] = [];
          const usedSince = (fromMs: number) =>
            entered.reduce((sum, { atMs, tokens }) => sum + (atMs > fromMs ? tokens : 0), 0);
          for (const [gapMs, tokens] of calls) {
            nowMs += gapMs;
            const { isEntered } = await log.enter(ask(tokens));
            if (isEntered) expect(usedSince(nowMs - 60_000) + tokens).toBeLessThanOrEqual(100);
            else expect(usedSince(nowMs - 61_000) + tokens).toBeGreaterThan(100);
            if (isEntered) entered.push({ atMs: nowMs, tokens });
          }
          await log.close();
        },
      ),
    );
  });

  it('says when there is room, and lets in at that moment and not before', async () => {
    let nowMs = 500;
    const log = new MemoryTokenLog(() => nowMs);
    expect(await log.enter(ask(70))).toMatchObject({ isEntered: true, used: 70, roomInMs: 0, emptyInMs: 60_500 });
    nowMs += 20_000;
    expect(await log.enter(ask(30))).toMatchObject({ isEntered: true, used: 100, emptyInMs: 60_500 });
    expect(await log.enter(ask(20))).toMatchObject({ isEntered: false, used: 100, roomInMs: 40_500 });
    expect(await log.enter(ask(90))).toMatchObject({ isEntered: false, used: 100, roomInMs: 60_500 });
    expect(await log.enter(ask(20, 100, 'b'))).toMatchObject({ isEntered: true });
    nowMs += 40_499;
    expect(await log.enter(ask(20))).toMatchObject({ isEntered: false, roomInMs: 1 });
    nowMs += 1;
    expect(await log.enter(ask(20))).toMatchObject({ isEntered: true, used: 50 });
    await log.close();
  });

  it('is corrected where the call began, also beyond the limit, and no more once that has left', async () => {
    let nowMs = 0;
    const log = new MemoryTokenLog(() => nowMs);
    const first = await log.enter(ask(50));
    await first.correct(-40);
    expect(await log.enter(ask(90))).toMatchObject({ isEntered: true, used: 100 });
    await first.correct(200);
    expect(await log.enter(ask(1))).toMatchObject({ isEntered: false, used: 300 });
    nowMs += 61_000;
    expect(await log.enter(ask(1))).toMatchObject({ isEntered: true, used: 1 });
    await first.correct(500);
    expect(await log.enter(ask(1))).toMatchObject({ isEntered: true, used: 2 });
    await log.close();
  });
});
