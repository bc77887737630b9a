import { OutputCapGuard, toLengthEnd } from './output-cap-guard.js';

const tokensMax = 100 + 64;

function guardOf(meter: { bytes: number; reported?: number; running?: number[] }, count: number | null) {
  let asked = 0;
  const guarded = {
    outputTokensMax: 100,
    get outputBytes() {
      return meter.bytes;
    },
    reportedOutputTokens: meter.reported ?? 0,
    runningChoices: meter.running ?? [0],
    countOutput: async () => {
      asked += 1;
      return count;
    },
  };
  const guard = new OutputCapGuard(guarded, { count: async () => null });
  return { guard, askedTimes: () => asked };
}

describe('OutputCapGuard', () => {
  it('costs nothing far from the cap', () => {
    expect(guardOf({ bytes: tokensMax * 3 }, 0).guard.isDue).toBe(false);
  });

  it.each([
    [tokensMax, false],
    [tokensMax + 1, true],
  ])('%i tokens, counted near the cap: past it is %s', async (tokens, isPast) => {
    const { guard } = guardOf({ bytes: tokensMax * 3 + 1 }, tokens);
    expect(guard.isDue).toBe(true);
    expect(await guard.isPast()).toBe(isPast);
  });

  it('counts again only after the answer has grown by a quarter', async () => {
    const meter = { bytes: 1_000 };
    const { guard, askedTimes } = guardOf(meter, 10);
    await guard.isPast();
    meter.bytes = 1_250;
    expect(guard.isDue).toBe(false);
    meter.bytes = 1_251;
    expect(guard.isDue).toBe(true);
    expect(askedTimes()).toBe(1);
  });

  it('where nobody can count, cuts only what no tokenizer would find short enough', async () => {
    expect(await guardOf({ bytes: tokensMax * 16 }, null).guard.isPast()).toBe(false);
    expect(await guardOf({ bytes: tokensMax * 16 + 1 }, null).guard.isPast()).toBe(true);
  });

  it('believes a provider that reports more itself', async () => {
    const { guard, askedTimes } = guardOf({ bytes: 0, reported: tokensMax + 1 }, 0);
    expect([guard.isDue, await guard.isPast(), askedTimes()]).toEqual([true, true, 0]);
  });

  it('lets an answer alone that has ended by itself', () => {
    expect(guardOf({ bytes: 1_000_000, reported: 1_000_000, running: [] }, 1_000_000).guard.isDue).toBe(false);
  });

  it('ends the choices that still run, and no other', () => {
    const last = {
      id: 'call_x',
      object: 'chat.completion.chunk' as const,
      created: 7,
      model: 'm',
      choices: [],
      usage: null,
    };
    expect(toLengthEnd(last, [1, 3])).toEqual({
      id: 'call_x',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'm',
      choices: [1, 3].map((index) => ({ index, delta: {}, logprobs: null, finish_reason: 'length' })),
    });
  });
});
