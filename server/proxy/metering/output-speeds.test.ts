import { OutputSpeeds } from './output-speeds.js';

const route = { providerId: 'openai', upstreamModel: 'gpt-5' };
const finished = (outputTokens: number, durationMs: number, more: object = {}) => ({
  ...{ outputTokens, durationMs, choices: 1, hadUnseenOutput: false },
  ...more,
});

describe('OutputSpeeds', () => {
  it('knows no speed before five finished calls have shown one, and of no other route', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 4; call += 1) speeds.learn(route, finished(200, 1_000));
    expect(speeds.findTokensPerMs(route)).toBeNull();
    speeds.learn(route, finished(200, 1_000));
    expect(speeds.findTokensPerMs(route)).toBe(0.2);
    expect(speeds.findTokensPerMs({ ...route, upstreamModel: 'gpt-5-mini' })).toBeNull();
  });

  it('is as fast as four of five calls: an odd one does not set the price of leaving', () => {
    const speeds = new OutputSpeeds();
    for (const tokens of [200, 220, 240, 260]) speeds.learn(route, finished(tokens, 1_000));
    speeds.learn(route, finished(3_000, 1_000));
    expect(speeds.findTokensPerMs(route)).toBe(0.26);
  });

  it('learns nothing from calls of a few words, and counts each choice by itself', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 5; call += 1) speeds.learn(route, finished(199, 1_000));
    expect(speeds.findTokensPerMs(route)).toBeNull();
    for (let call = 0; call < 5; call += 1) speeds.learn(route, finished(800, 1_000, { choices: 4 }));
    expect(speeds.findTokensPerMs(route)).toBe(0.2);
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
      speeds.learn(route, finished(400, 2_000));
      for (let more = 0; more < 3; more += 1) speeds.learn(route, implausible);
    }
    expect(speeds.findTokensPerMs(route)).toBe(0.2);
    expect(speeds.hasReasonedUnseen(route)).toBe(false);
    for (let call = 0; call < 20; call += 1) speeds.learn(route, { ...implausible, hadUnseenOutput: true });
    expect(speeds.findTokensPerMs(route)).toBeNull();
    expect(speeds.hasReasonedUnseen(route)).toBe(true);
  });

  it('is not lowered by calls that are too short to tell, also when they were billed for output that was not shown', () => {
    const speeds = new OutputSpeeds();
    for (let call = 0; call < 20; call += 1) speeds.learn(route, finished(400, 1_000, { hadUnseenOutput: true }));
    for (let call = 0; call < 15; call += 1) speeds.learn(route, finished(1, 1_000, { hadUnseenOutput: true }));
    expect(speeds.findTokensPerMs(route)).toBe(0.4);
    for (let call = 0; call < 5; call += 1) speeds.learn(route, finished(16, 1_000, { hadUnseenOutput: true }));
    expect(speeds.findTokensPerMs(route)).toBeNull();
    expect(speeds.hasReasonedUnseen(route)).toBe(true);
  });

  it('goes by the last twenty calls', () => {
    const speeds = new OutputSpeeds();
    speeds.learn(route, finished(2_000, 1_000, { hadUnseenOutput: true }));
    expect(speeds.hasReasonedUnseen(route)).toBe(true);
    for (let call = 0; call < 20; call += 1) speeds.learn(route, finished(250, 1_000));
    expect(speeds.hasReasonedUnseen(route)).toBe(false);
    expect(speeds.findTokensPerMs(route)).toBe(0.25);
  });
});
