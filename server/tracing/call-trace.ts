import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { type Attributes, Span, type SpanKind } from './span.js';
import { writeTraceparent } from './trace-context.js';

export interface CallTraceParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Is given all spans of the call at its end, each ended. */
  readonly export: (spans: readonly Span[]) => void;
  readonly traceId: string;
  /** The caller's own span; null: this call begins the trace. */
  readonly parentSpanId: string | null;
  /** Whether providers are told of the trace. */
  readonly isSentUpstream: boolean;
  readonly name: string;
  readonly startedAtMs: number;
  readonly attributes: Attributes;
}

/**
 * The spans of one call: the request of its caller, within it admission with the ledger's reserve, each attempt at a provider
 * with the wait for its first token, and the ledger's settlement. They are handed over together when the request has ended.
 */
export class CallTrace {
  readonly traceId: string;
  readonly #root: Span;
  readonly #admission: Span;
  readonly #spans: Span[];
  #lastAttempt: Span | null = null;
  #isEnded = false;

  constructor(private readonly parts: CallTraceParts) {
    const { traceId, parentSpanId, name, startedAtMs: startMs, attributes } = parts;
    this.traceId = traceId;
    this.#root = new Span({ traceId, parentSpanId, name, kind: 'server', startMs, attributes });
    this.#spans = [this.#root];
    this.#admission = this.#begin('admission', this.#root, 'internal', startMs);
  }

  /** What is known of the call by now; it stands on the caller's span. */
  note(attributes: Attributes): void {
    this.#root.set(attributes);
  }

  /** Credits are held: what follows is no admission any more. */
  admitted(attributes: Attributes): void {
    this.#admission.set(attributes);
    this.#admission.end(this.parts.clock.nowMs());
  }

  /** A span around some work of ours, within admission as long as that lasts. */
  async during<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
    const parent = this.#admission.endMs === null ? this.#admission : this.#root;
    const span = this.#begin(name, parent, 'internal', this.parts.clock.nowMs());
    try {
      return await work();
    } catch (error) {
      span.fail(nameError(error));
      throw error;
    } finally {
      span.end(this.parts.clock.nowMs());
    }
  }

  /** Begins an attempt at a provider. */
  attempt(name: string, attributes: Attributes): AttemptTrace {
    const { clock, isSentUpstream } = this.parts;
    const span = this.#begin(name, this.#root, 'client', clock.nowMs(), attributes);
    this.#lastAttempt = span;
    const beginFirstToken = () => this.#begin('first token', span, 'internal', span.start.startMs);
    return new AttemptTrace(span, { clock, beginFirstToken, isSentUpstream });
  }

  /** What the provider that was asked last is said to have used. */
  noteUsage(attributes: Attributes): void {
    this.#lastAttempt?.set(attributes);
  }

  /** Why the caller was refused, or the answer broke off. By the conventions a fault of the caller's (below 500) is no failure of ours. */
  refuse(code: string, status: number): void {
    for (const span of this.#admission.endMs === null ? [this.#root, this.#admission] : [this.#root]) {
      if (status >= 500) span.fail(code);
      else span.set({ 'error.type': code });
    }
  }

  /** Ends whatever still runs and hands the spans over, once. */
  end(attributes: Attributes): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#root.set(attributes);
    const nowMs = this.parts.clock.nowMs();
    for (const span of this.#spans) span.end(nowMs);
    this.parts.export(this.#spans);
  }

  #begin(name: string, parent: Span, kind: SpanKind, startMs: number, attributes: Attributes = {}): Span {
    const { traceId } = this;
    const span = new Span({ traceId, parentSpanId: parent.spanId, name, kind, startMs, attributes });
    this.#spans.push(span);
    return span;
  }
}

interface AttemptParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly beginFirstToken: () => Span;
  readonly isSentUpstream: boolean;
}

/** One request to a provider. */
export class AttemptTrace {
  constructor(
    private readonly span: Span,
    private readonly parts: AttemptParts,
  ) {}

  /** The header for the provider; null: it is told nothing. */
  get traceparent(): string | null {
    const { spanId, start } = this.span;
    return this.parts.isSentUpstream ? writeTraceparent(start.traceId, spanId) : null;
  }

  /** The first piece of the answer has come. */
  firstToken(): void {
    const nowMs = this.parts.clock.nowMs();
    this.parts.beginFirstToken().end(nowMs);
    this.span.set({ 'gen_ai.response.time_to_first_chunk': (nowMs - this.span.start.startMs) / 1_000 });
  }

  end({ status, errorCode }: { readonly status: number | null; readonly errorCode: string | null }): void {
    this.span.set({ 'http.response.status_code': status });
    if (errorCode !== null) this.span.fail(errorCode);
    this.span.end(this.parts.clock.nowMs());
  }
}

/** As `CallTrace.during`, for a call that may not be traced, which then costs nothing. */
export function during<Result>(
  trace: CallTrace | null | undefined,
  name: string,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return trace ? trace.during(name, work) : work();
}

function nameError(error: unknown): string {
  return error instanceof AppError ? error.code : 'internal_error';
}
