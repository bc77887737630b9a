import { type TimedReceipt, toTimeline } from './request-timeline';

const receipt: TimedReceipt = {
  ...{ held: 10, charged: 1.5, absorbed: 0, totalMs: 2_000, streamed: true, firstByteMs: 700, balanceAfter: 98.5 },
  attempts: [
    { provider: 'openai', upstreamModel: 'gpt', status: 503, errorCode: 'upstream_error', durationMs: 400 },
    { provider: 'groq', upstreamModel: 'gpt', status: 200, errorCode: null, durationMs: 1_550 },
  ],
};
const show = (call: TimedReceipt) =>
  toTimeline(call).map(({ kind, startMs, endMs, millicredits }) => [kind, startMs, endMs, millicredits]);

describe('the timeline of a call', () => {
  it('tells time and money in their order, to the millicredit', () => {
    expect(show(receipt)).toEqual([
      ['reserved', 0, 0, 10_000n],
      ['failed', 0, 400, null],
      ['attempt', 400, 1_950, null],
      ['first-token', 700, 700, null],
      ['answer', 700, 2_000, null],
      ['booked', 2_000, 2_000, 1_500n],
      ['given-back', 2_000, 2_000, 8_500n],
      ['balance', 2_000, 2_000, 98_500n],
    ]);
    expect(toTimeline(receipt)[1]?.label).toBe('Attempt 1: openai/gpt, upstream_error (503)');
  });

  it('stands where it was when its attempts know when they began, with the pauses between them', () => {
    const [first, second] = receipt.attempts;
    const attempts = [{ ...first, startMs: 12 } as never, { ...second, startMs: 430 } as never];
    expect(show({ ...receipt, attempts }).slice(0, 3)).toEqual([
      ['reserved', 12, 12, 10_000n],
      ['failed', 12, 412, null],
      ['attempt', 430, 1_980, null],
    ]);
  });

  it('adds up: what was reserved is booked or given back, unless more was used than was reserved', () => {
    const [reserved = 0n, booked = 0n, back = 0n] = ['reserved', 'booked', 'given-back'].map(
      (kind) => toTimeline(receipt).find((step) => step.kind === kind)?.millicredits ?? 0n,
    );
    expect(booked + back).toBe(reserved);
    const beyond = show({ ...receipt, held: 1, charged: 1.2, absorbed: 0.3 });
    expect(beyond).toContainEqual(['absorbed', 2_000, 2_000, 300n]);
    expect(beyond).toContainEqual(['given-back', 2_000, 2_000, 0n]);
  });

  it('leaves out what was not recorded, and reaches never beyond the end', () => {
    const bare = { ...receipt, firstByteMs: null, balanceAfter: null, charged: 0, totalMs: 100 };
    expect(show(bare)).toEqual([
      ['reserved', 0, 0, 10_000n],
      ['failed', 0, 100, null],
      ['attempt', 100, 100, null],
      ['booked', 100, 100, 0n],
      ['given-back', 100, 100, 10_000n],
    ]);
    expect(show({ ...bare, attempts: [] })).toHaveLength(3);
  });
});
