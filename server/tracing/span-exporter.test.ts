import type { LogFields } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { eventually } from '../test/eventually.js';
import { TraceCollector } from '../test/trace-collector.js';
import { Span } from './span.js';
import { SpanExporter } from './span-exporter.js';
import { createTraceId } from './trace-context.js';

const resource = { serviceName: 'tollgate', serviceVersion: '0', instanceId: 'i', hostName: 'h' };

function makeSpans(count: number): Span[] {
  return Array.from({ length: count }, (_, index) => {
    const start = { traceId: createTraceId(), parentSpanId: null, kind: 'internal', startMs: 0 } as const;
    const span = new Span({ ...start, name: `span ${index}` });
    span.end(1);
    return span;
  });
}

function open(url: string) {
  const events: string[] = [];
  const note = (event: string, fields: LogFields = {}) =>
    void events.push(`${event} ${fields.reason ?? fields.spans ?? ''}`);
  const exporter = new SpanExporter({
    url: `${url}/v1/traces`,
    headers: new Map([['authorization', new Secret('Bearer canary-of-the-collector')]]),
    resource,
    logger: { info: note, warn: note, error: note },
    intervalMs: 5,
  });
  const figures = () =>
    Object.fromEntries(exporter.listMetrics().map(({ name, labels = '', value }) => [labels || name, value]));
  return { exporter, events, figures };
}

describe('SpanExporter', () => {
  let collector: TraceCollector;
  beforeEach(async () => {
    collector = await TraceCollector.start();
  });
  afterEach(() => collector.close());

  it('sends each span once, a few hundred at a time, with the headers of the collector', async () => {
    const { exporter, figures } = open(collector.url);
    for (let calls = 0; calls < 200; calls += 1) exporter.add(makeSpans(5));
    await exporter.close();
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(1_000);
    expect(collector.spans).toHaveLength(1_000);
    expect(Math.max(...collector.bodies.map((body) => body.split('"traceId"').length - 1))).toBe(256);
    expect(collector.headers.every(({ authorization }) => authorization === 'Bearer canary-of-the-collector')).toBe(
      true,
    );
    expect(figures()).toEqual({ 'result="sent"': 1_000, 'result="dropped"': 0, tollgate_trace_spans_waiting: 0 });
  });

  it('keeps no more than 2,048 for a collector that hangs, drops and counts the rest, and is closed in two seconds', async () => {
    const held: (() => void)[] = [];
    collector.answer = (response) => void held.push(() => response.destroy());
    const { exporter, figures } = open(collector.url);
    for (let calls = 0; calls < 1_000; calls += 1) exporter.add(makeSpans(5));
    expect(figures().tollgate_trace_spans_waiting).toBe(2_045);
    await eventually(() => held.length > 0);
    await exporter.close();
    expect(figures()).toEqual({ 'result="dropped"': 5_000, tollgate_trace_spans_waiting: 0 });
  });

  it('waits for a collector that is busy, says so once, and loses nothing', async () => {
    let asked = 0;
    collector.answer = (response) => {
      asked += 1;
      if (asked === 1) collector.bodies.length = 0;
      response.writeHead(asked === 1 ? 503 : 200).end();
    };
    const { exporter, events, figures } = open(collector.url);
    exporter.add(makeSpans(3));
    await eventually(() => collector.spans.length === 3);
    await eventually(() => events.length === 2);
    expect(events).toEqual(['trace_spans_wait It answered 503.', 'trace_spans_sent_again ']);
    expect(figures()).toMatchObject({ 'result="sent"': 3, tollgate_trace_spans_waiting: 0 });
    await exporter.close();
  });

  it('gives up what a collector refuses, all of it or some', async () => {
    const { exporter, events, figures } = open(collector.url);
    collector.answer = (response) => void response.writeHead(400).end();
    exporter.add(makeSpans(3));
    await eventually(() => events.length === 1);
    collector.answer = (response) => void response.end('{"partialSuccess":{"rejectedSpans":"2"}}');
    exporter.add(makeSpans(3));
    await eventually(() => events.length === 2);
    expect(events).toEqual(['trace_spans_refused 3', 'trace_spans_refused 2']);
    expect(figures()).toMatchObject({ 'result="refused"': 5, 'result="sent"': 1, tollgate_trace_spans_waiting: 0 });
    await exporter.close();
  });

  it('says why no collector can be reached, and nothing of its headers', async () => {
    const { url } = collector;
    await collector.close();
    const { exporter, events } = open(url);
    exporter.add(makeSpans(1));
    await eventually(() => events.length === 1);
    expect(events[0]).toMatch(/^trace_spans_wait .*ECONNREFUSED/);
    await exporter.close();
    collector = await TraceCollector.start();
  });

  it('reads no more than 64 kB of an answer', async () => {
    collector.answer = (response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    };
    const { exporter, figures } = open(collector.url);
    exporter.add(makeSpans(2));
    await eventually(() => figures()['result="sent"'] === 2);
    await exporter.close();
  });
});
