import { randomBytes } from 'node:crypto';

/** Where a request stands in a trace that its caller began. */
export interface TraceContext {
  /** 32 hexadecimal digits, never all zero. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits, never all zero. */
  readonly parentSpanId: string;
  /** Whether the caller keeps its part of the trace. */
  readonly isSampled: boolean;
}

// Later versions may add fields behind these four; `ff` is never one, and version 00 has no more than four.
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;

/** Reads the header `traceparent` of W3C's Trace Context. @returns null when there is none, or one that is not well formed. */
export function readTraceparent(header: unknown): TraceContext | null {
  const [, version, traceId, parentSpanId, flags, rest] =
    typeof header === 'string' ? (traceparent.exec(header) ?? []) : [];
  if (traceId === undefined || parentSpanId === undefined) return null;
  if (version === '00' && rest !== undefined) return null;
  return { traceId, parentSpanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

/** The header that continues a trace at whoever is called; the trace is one that is kept. */
export function writeTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

export const createTraceId = (): string => createNonZero(16);
export const createSpanId = (): string => createNonZero(8);

function createNonZero(bytes: number): string {
  for (;;) {
    const id = randomBytes(bytes).toString('hex');
    if (/[^0]/.test(id)) return id;
  }
}
