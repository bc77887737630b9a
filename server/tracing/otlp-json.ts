import type { AttributeValue, Span, SpanKind } from './span.js';

/** Which process the spans are of. */
export interface Resource {
  readonly serviceName: string;
  readonly serviceVersion: string;
  readonly instanceId: string;
  readonly hostName: string;
}

// The numbers of the protocol's enumerations.
const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const statusError = 2;
/** The trace is kept; whether the parent lies in another process is known. */
const flagSampled = 1;
const flagKnown = 0x100;
const flagRemote = 0x200;

/** The body of one request of OTLP over HTTP in its JSON form: ids in hexadecimal, times in nanoseconds as text. */
export function writeTraces(resource: Resource, spans: readonly Span[]): string {
  const attributes = writeAttributes([
    ['service.name', resource.serviceName],
    ['service.version', resource.serviceVersion],
    ['service.instance.id', resource.instanceId],
    ['host.name', resource.hostName],
  ]);
  const scope = { name: 'tollgate', version: resource.serviceVersion };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans: spans.map(writeSpan) }] }],
  });
}

function writeSpan({ spanId, start, endMs, attributes, hasFailed }: Span): object {
  const { traceId, parentSpanId, name, kind, startMs } = start;
  const isRemote = kind === 'server' && parentSpanId !== null;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    flags: flagSampled | flagKnown | (isRemote ? flagRemote : 0),
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs ?? startMs),
    attributes: writeAttributes([...attributes]),
    status: hasFailed ? { code: statusError } : {},
  };
}

function writeAttributes(attributes: readonly (readonly [string, AttributeValue])[]): object[] {
  return attributes.map(([key, value]) => ({ key, value: writeValue(value) }));
}

function writeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

// As text, since so many nanoseconds are more than a number holds exactly.
function toNanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}
