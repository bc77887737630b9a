import fc from 'fast-check';
import { OutputSpeeds } from './output-speeds.js';

const route = { providerId: 'openai', upstreamModel: 'gpt-5' };
const finished = (outputTokens: number, durationMs: number, more: object = {}) => ({
  ...{ outputTokens, durationMs, choices: 1, hadUnseenOutput: false },
  ...more,
});

describe('OutputSpeeds', () => {
  it('knows no speed before five finished calls have shown one, and of no other route', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 4; call += 1) speeds.learn(route, 'a', finished(200, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBeNull();
    speeds.learn(route, 'a', finished(200, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.2);
    expect(speeds.findTokensPerMs({ ...route, upstreamModel: 'gpt-5-mini' }, 'a')).toBeNull();
  });

  it('is as fast as four of five calls: an odd one does not set the price of leaving', () => {
    const speeds = new OutputSpeeds();
    for (const tokens of [200, 220, 240, 260]) speeds.learn(route, 'a', finished(tokens, 1_000));
    speeds.learn(route, 'a', finished(3_000, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.26);
  });

  it('learns nothing from calls of a few words, and counts each choice by itself', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 5; call += 1) speeds.learn(route, 'a', finished(199, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBeNull();
    for (let call = 0; call < 5; call += 1) speeds.learn(route, 'a', finished(800, 1_000, { choices: 4 }));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.2);
  });

  it.each([
    ['a gateway that answers from its cache, in 5 ms', finished(400, 5)],
    ['one that is 300 ms away', finished(400, 300)],
    ['one whose cache is slow', finished(30_000, 2_000)],
    ['no time at all', finished(400, 0)],
    ['a time that is none', finished(400, Number.NaN)],
    ['a time without end', finished(400, Number.POSITIVE_INFINITY)],
    ['a count without end', finished(Number.POSITIVE_INFINITY, 1_000)],
    ['a count that is none', finished(Number.NaN, 1_000)],
    ['no choices', finished(400, 1_000, { choices: 0 })],
  ])('believes no speed that no model has, whatever part of the calls shows it: %s', (_, implausible) => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 5; call += 1) {
      speeds.learn(route, 'a', finished(400, 2_000));
      for (let more = 0; more < 3; more += 1) speeds.learn(route, 'a', implausible);
    }
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.2);
    expect(speeds.hasReasonedUnseen(route, 'a')).toBe(false);
    for (let call = 0; call < 20; call += 1) speeds.learn(route, 'a', { ...implausible, hadUnseenOutput: true });
    expect(speeds.findTokensPerMs(route, 'a')).toBeNull();
    expect(speeds.hasReasonedUnseen(route, 'a')).toBe(true);
  });

  it('is not lowered by calls that are too short to tell, also when they were billed for output that was not shown', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 20; call += 1) speeds.learn(route, 'a', finished(400, 1_000, { hadUnseenOutput: true }));
    for (let call = 0; call < 15; call += 1) speeds.learn(route, 'a', finished(1, 1_000, { hadUnseenOutput: true }));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.4);
    for (let call = 0; call < 5; call += 1) speeds.learn(route, 'a', finished(16, 1_000, { hadUnseenOutput: true }));
    expect(speeds.findTokensPerMs(route, 'a')).toBeNull();
    expect(speeds.hasReasonedUnseen(route, 'a')).toBe(true);
  });

  it('goes by the last twenty calls', () => {
    const speeds = new OutputSpeeds();
    speeds.learn(route, 'a', finished(2_000, 1_000, { hadUnseenOutput: true }));
    expect(speeds.hasReasonedUnseen(route, 'a')).toBe(true);
    for (let call = 0; call < 20; call += 1) speeds.learn(route, 'a', finished(250, 1_000));
    expect(speeds.hasReasonedUnseen(route, 'a')).toBe(false);
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.25);
  });

  it('knows no speed for an account by the calls of six others, whatever these make, and knows it by one more', () => {
    const speeds = new OutputSpeeds();
    for (const other of ['b', 'c', 'd', 'e', 'f', 'g']) {
      for (let call = 0; call < 20; call += 1) speeds.learn(route, other, finished(400, 1_000));
    }
    expect(speeds.findTokensPerMs(route, 'a')).toBeNull();
    expect(speeds.findTokensPerMs(route, 'b')).toBe(0.4);
    speeds.learn(route, 'h', finished(300, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.4);
  });

  it.each([
    ['dearer', 4_000],
    ['cheaper', 200],
  ])('lets three accounts that work together make leaving no %s than four others show', (_, tokens) => {
    const speeds = new OutputSpeeds();
    for (const [index, other] of ['b', 'c', 'd', 'e'].entries()) {
      speeds.learn(route, other, finished(250 + 50 * index, 1_000));
    }
    for (const together of ['x', 'y', 'z']) {
      for (let call = 0; call < 20; call += 1) speeds.learn(route, together, finished(tokens, 1_000));
    }
    expect(speeds.findTokensPerMs(route, 'a')).toBe(tokens === 200 ? 0.25 : 0.4);
  });

  it('lets no number of accounts that work together make leaving dearer than by half a token in a millisecond', () => {
    for (const [tokens, price] of [
      [500, 0.5],
      [501, null],
      [4_000, null],
    ] as const) {
      const speeds = new OutputSpeeds();
      for (const other of ['b', 'c', 'd', 'e']) speeds.learn(route, other, finished(250, 1_000));
      for (let together = 0; together < 100; together += 1)
        speeds.learn(route, `x${together}`, finished(tokens, 1_000));
      expect(speeds.findTokensPerMs(route, 'a')).toBe(price);
    }
  });

  it('forgets who called longest ago once 100 others have called', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 5; call += 1) speeds.learn(route, 'a', finished(200, 1_000));
    for (let other = 0; other < 99; other += 1) speeds.learn(route, `b${other}`, finished(400, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.2);
    speeds.learn(route, 'c', finished(400, 1_000));
    expect(speeds.findTokensPerMs(route, 'a')).toBe(0.4);
  });

  it('lets no calls of another account make leaving dearer: not at all after five own calls, else twice where honest calls differ by two', () => {
    const honestCall = fc.record({
      account: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'),
      tokens: fc.integer({ min: 200, max: 400 }),
    });
    const attack = fc.record({
      account: fc.constant('attacker'),
      tokens: fc.integer({ min: 1, max: 20_000 }),
      durationMs: fc.integer({ min: 0, max: 5_000 }),
    });
    const calls = fc.array(fc.oneof({ weight: 2, arbitrary: honestCall }, attack), { maxLength: 150 });
    fc.assert(
      fc.property(calls, (made) => {
        const [attacked, honest] = [new OutputSpeeds(), new OutputSpeeds()];
        for (const { account, tokens, ...more } of made) {
          const call = finished(tokens, 1_000, more);
          attacked.learn(route, account, call);
          if (account !== 'attacker') honest.learn(route, account, call);
        }
        const ownCalls = made.filter(({ account }) => account === 'a').length;
        const [price, fairPrice] = [attacked, honest].map((speeds) => speeds.findTokensPerMs(route, 'a') ?? null);
        if (ownCalls >= 5) expect(price).toBe(fairPrice);
        expect(price ?? 0).toBeLessThanOrEqual(0.4);
        if (typeof fairPrice === 'number') {
          expect(price).not.toBeNull();
          expect(price).toBeLessThanOrEqual(2 * fairPrice);
        }
      }),
      { numRuns: 500 },
    );
  });
});
