import { createSpanId, createTraceId, readTraceparent, writeTraceparent } from './trace-context.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('is read as it was written', () => {
    const [trace, span] = [createTraceId(), createSpanId()];
    expect(readTraceparent(writeTraceparent(trace, span))).toEqual({
      traceId: trace,
      parentSpanId: span,
      isSampled: true,
    });
  });

  it('says whether its caller keeps the trace, by the last bit of its flags', () => {
    expect(readTraceparent(`00-${traceId}-${parentSpanId}-00`)?.isSampled).toBe(false);
    expect(readTraceparent(`00-${traceId}-${parentSpanId}-03`)?.isSampled).toBe(true);
  });

  it('of a later version is read as far as this one goes', () => {
    expect(readTraceparent(`cc-${traceId}-${parentSpanId}-01-what-comes-later`)).toEqual({
      ...{ traceId, parentSpanId, isSampled: true },
    });
  });

  it.each([
    undefined,
    '',
    [`00-${traceId}-${parentSpanId}-01`, `00-${traceId}-${parentSpanId}-01`],
    `ff-${traceId}-${parentSpanId}-01`,
    `00-${'0'.repeat(32)}-${parentSpanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentSpanId}-01`,
    `00-${traceId}-${parentSpanId}-01-more`,
    `00-${traceId}-${parentSpanId}-1`,
    `00-${traceId.slice(1)}-${parentSpanId}-01`,
    `00-${traceId}-${parentSpanId}-01\n`,
    `cc-${traceId}-${parentSpanId}-01-${'x'.repeat(100_000)}`,
  ])('that is not well formed begins a trace of our own: %j', (header) => {
    expect(readTraceparent(header)).toBeNull();
  });
});
