import { createSpanId } from './trace-context.js';

export type SpanKind = 'internal' | 'server' | 'client';
export type AttributeValue = string | number | boolean | readonly string[];
/** What a span says of its work, by the names of OpenTelemetry's semantic conventions or `tollgate.…`; null is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>;

export interface SpanStart {
  readonly traceId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly attributes?: Attributes;
}

/** One piece of work with its beginning and its end. It is given ids, figures and words of ours: never what callers or models say. */
export class Span {
  readonly spanId = createSpanId();
  readonly #attributes = new Map<string, AttributeValue>();
  #endMs: number | null = null;
  #hasFailed = false;

  constructor(readonly start: SpanStart) {
    this.set(start.attributes ?? {});
  }

  /** null while it runs. */
  get endMs(): number | null {
    return this.#endMs;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get attributes(): ReadonlyMap<string, AttributeValue> {
    return this.#attributes;
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined) this.#attributes.set(name, value);
    }
  }

  /** @param errorType A code of ours, which stands as `error.type`. */
  fail(errorType: string): void {
    this.#hasFailed = true;
    this.set({ 'error.type': errorType });
  }

  /** Ends it, once; it never ends before it began, however the clock was set meanwhile. */
  end(atMs: number): void {
    this.#endMs ??= Math.max(this.start.startMs, atMs);
  }
}
