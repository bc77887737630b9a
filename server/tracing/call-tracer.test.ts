import { readTracingSettings, type TracingSettings } from '../config/tracing-settings.js';
import { FakeClock } from '../kernel/clock.js';
import { CallTracer } from './call-tracer.js';
import type { Span } from './span.js';
import { createSpanId, createTraceId } from './trace-context.js';

function settingsOf(sampler: string, share = '1'): TracingSettings {
  const settings = readTracingSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
    OTEL_SERVICE_NAME: 'tollgate',
    OTEL_TRACES_SAMPLER: sampler as 'always_on',
    OTEL_TRACES_SAMPLER_ARG: share,
    TRACE_PROVIDERS: 'off',
  });
  if (settings === null) throw new Error('No traces are sent.');
  return settings;
}

/** Which of these callers' calls are traced. */
function countTraced(settings: TracingSettings, headers: readonly (string | undefined)[]): number {
  const tracer = new CallTracer({ settings, clock: new FakeClock(), add: () => {} });
  const call = { name: 'POST /chat/completions', startedAtMs: 0, attributes: {} };
  return headers.filter((traceparent) => tracer.begin({ ...call, traceparent }) !== null).length;
}

const kept = `00-${createTraceId()}-${createSpanId()}-01`;
const unkept = `00-${createTraceId()}-${createSpanId()}-00`;

describe('Which calls are traced', () => {
  it.each([
    ['parentbased_always_on', { ownCalls: 1, kept: 1, unkept: 0 }],
    ['parentbased_always_off', { ownCalls: 0, kept: 1, unkept: 0 }],
    ['always_on', { ownCalls: 1, kept: 1, unkept: 1 }],
    ['always_off', { ownCalls: 0, kept: 0, unkept: 0 }],
  ])('is what %s says, for callers without a trace and with one', (sampler, expected) => {
    const count = (header: string | undefined) => countTraced(settingsOf(sampler), [header]);
    expect({ ownCalls: count(undefined), kept: count(kept), unkept: count(unkept) }).toEqual(expected);
  });

  it('is a share of them by their trace ids alone, so that all services of a trace choose alike', () => {
    const headers = Array.from({ length: 4_000 }, () => `00-${createTraceId()}-${createSpanId()}-00`);
    const count = countTraced(settingsOf('traceidratio', '0.25'), headers);
    expect(count).toBe(countTraced(settingsOf('traceidratio', '0.25'), headers));
    // Six standard deviations on either side.
    expect(Math.abs(count - 1_000)).toBeLessThan(165);
    expect(countTraced(settingsOf('traceidratio', '0'), headers)).toBe(0);
    expect(countTraced(settingsOf('traceidratio', '1'), headers)).toBe(4_000);
  });
});

describe('A trace', () => {
  it('is handed over once, with each of its spans ended within the time of the call', () => {
    const clock = new FakeClock();
    const added: (readonly Span[])[] = [];
    const tracer = new CallTracer({ settings: settingsOf('always_on'), clock, add: (spans) => added.push(spans) });
    const startedAtMs = clock.nowMs();
    const trace = tracer.begin({ traceparent: undefined, name: 'call', startedAtMs, attributes: {} });
    void trace?.during('work that never ends', () => new Promise(() => {}));
    trace?.attempt('chat m', {});
    clock.advanceMs(-5_000);
    trace?.end({});
    trace?.end({});
    expect(added).toHaveLength(1);
    expect(added[0]?.map(({ endMs }) => endMs)).toEqual([startedAtMs, startedAtMs, startedAtMs, startedAtMs]);
  });
});
