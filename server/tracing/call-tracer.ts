import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { TracingSettings } from '../config/tracing-settings.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { productVersion } from '../kernel/settings/product-version.js';
import { CallTrace } from './call-trace.js';
import type { Attributes, Span } from './span.js';
import { SpanExporter } from './span-exporter.js';
import { createTraceId, readTraceparent } from './trace-context.js';

/** 56 random bits are what the ids of all makers have; with them all services of a trace come to the same choice. */
const randomBits = 2 ** 56;

export interface CallToTrace {
  /** The header as it came. */
  readonly traceparent: unknown;
  readonly name: string;
  readonly startedAtMs: number;
  readonly attributes: Attributes;
}

interface TracerParts {
  readonly settings: TracingSettings;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Is given the spans of each call that is traced. */
  readonly add: (spans: readonly Span[]) => void;
}

/** Decides which calls are traced, and begins their traces. */
export class CallTracer {
  constructor(private readonly parts: TracerParts) {}

  /** @returns null for a call that is not to be traced. */
  begin({ traceparent, ...call }: CallToTrace): CallTrace | null {
    const { settings, clock, add } = this.parts;
    const caller = readTraceparent(traceparent);
    const traceId = caller?.traceId ?? createTraceId();
    const { sampler, ratio, isCallerFollowed } = settings;
    const isKept =
      isCallerFollowed && caller !== null
        ? caller.isSampled
        : sampler === 'ratio'
          ? isWithin(traceId, ratio)
          : sampler === 'on';
    if (!isKept) return null;
    const { isSentUpstream } = settings;
    return new CallTrace({
      ...call,
      clock,
      export: add,
      traceId,
      parentSpanId: caller?.parentSpanId ?? null,
      isSentUpstream,
    });
  }
}

/** The tracer of a server, and what sends its spans; `close` sends the rest. */
export function openTracing(
  settings: TracingSettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
) {
  const { url, headers, serviceName } = settings;
  const resource = { serviceName, serviceVersion: productVersion, instanceId: randomUUID(), hostName: hostname() };
  const exporter = new SpanExporter({ url, headers, resource, logger });
  const tracer = new CallTracer({ settings, clock, add: (spans) => exporter.add(spans) });
  return { tracer, listMetrics: () => exporter.listMetrics(), close: () => exporter.close() };
}

function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14), 16) < ratio * randomBits;
}
