import type { Logger } from '../kernel/logger.js';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { Secret } from '../kernel/secret.js';
import { type Resource, writeTraces } from './otlp-json.js';
import type { Span } from './span.js';

export interface SpanExporterOptions {
  /** Where spans are posted to. */
  readonly url: string;
  /** Further headers of each post, such as the collector's own token, as names with their values. */
  readonly headers: ReadonlyMap<string, Secret>;
  readonly resource: Resource;
  readonly logger: Logger;
  /** How often what waits is sent. */
  readonly intervalMs?: number;
}

/** Spans that wait; further ones are dropped, whole calls at a time. About 2 MB. */
const waitingMax = 2_048;
/** Written in about a millisecond, so that no stream waits for it. */
const batchMax = 256;
const answerTimeoutMs = 10_000;
const answerBytesMax = 64 * 1024;
const retryMsMax = 60_000;
const closeTimeoutMs = 2_000;
/** What a collector that is merely busy answers, by the protocol. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Posts ended spans to a collector, some at a time, one request after the other. No call waits for it: what a collector that is
 * away or slow does not take waits in a queue of 2,048, and what finds no room there is dropped and counted.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #spans = new LabelledCounter(
    'tollgate_trace_spans_total',
    'Spans of traced calls, by what became of them.',
    [{ name: 'result', values: ['sent', 'dropped', 'refused'] }],
  );
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #sending: Promise<void> | null = null;
  #retryMs = 0;
  #retryAtMs = 0;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#sendDue(), options.intervalMs ?? 5_000).unref();
  }

  /** Takes the spans of one call, without a wait; they are dropped and counted where there is no room for all of them. */
  add(spans: readonly Span[]): void {
    if (this.#waiting.length + spans.length > waitingMax) {
      this.#spans.add(['dropped'], spans.length);
      return;
    }
    this.#waiting.push(...spans);
    if (this.#waiting.length >= batchMax) void this.#sendDue();
  }

  listMetrics(): Metric[] {
    const help = 'Ended spans that wait for the collector; 2,048 at most.';
    const waiting: Metric = { name: 'tollgate_trace_spans_waiting', help, kind: 'gauge', value: this.#waiting.length };
    return [...this.#spans.list(), waiting];
  }

  /** Sends what waits, for two seconds at most. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = AbortSignal.timeout(closeTimeoutMs);
    this.#retryAtMs = 0;
    await Promise.race([
      this.#sendAll(deadline),
      new Promise((resolve) => deadline.addEventListener('abort', resolve)),
    ]);
    this.#spans.add(['dropped'], this.#waiting.length);
    this.#waiting = [];
  }

  async #sendAll(deadline: AbortSignal): Promise<void> {
    for (;;) {
      const before = this.#waiting.length;
      if (before === 0 || deadline.aborted) return;
      await this.#sendDue(deadline);
      if (this.#waiting.length >= before) return;
    }
  }

  #sendDue(deadline?: AbortSignal): Promise<void> {
    this.#sending ??= this.#sendWhileFull(deadline).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendWhileFull(deadline?: AbortSignal): Promise<void> {
    do {
      if (this.#waiting.length === 0 || performance.now() < this.#retryAtMs) return;
      const batch = this.#waiting.slice(0, batchMax);
      const result = await this.#post(batch, deadline);
      if (result === 'later') return;
      this.#waiting.splice(0, batch.length);
    } while (this.#waiting.length >= batchMax);
  }

  /** Never throws: whatever goes wrong is the collector's affair, and is told once. */
  async #post(batch: readonly Span[], deadline?: AbortSignal): Promise<'over' | 'later'> {
    const { url, headers, resource } = this.#options;
    try {
      const timeout = AbortSignal.timeout(answerTimeoutMs);
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: deadline ? AbortSignal.any([timeout, deadline]) : timeout,
        headers: { 'content-type': 'application/json', ...reveal(headers) },
        body: writeTraces(resource, batch),
      });
      const answer = await readBounded(response.body);
      if (passing.has(response.status)) return this.#putOff(`It answered ${response.status}.`);
      this.#noteAnswer(batch.length, response, answer);
      return 'over';
    } catch (error) {
      return this.#putOff(describe(error));
    }
  }

  #noteAnswer(count: number, { ok, status }: Response, answer: string): void {
    const refused = ok ? Math.min(count, countRefused(answer)) : count;
    if (refused > 0) {
      this.#spans.add(['refused'], refused);
      this.#options.logger.warn('trace_spans_refused', { status, spans: refused });
    }
    this.#spans.add(['sent'], count - refused);
    if (this.#retryMs > 0) this.#options.logger.info('trace_spans_sent_again');
    this.#retryMs = 0;
  }

  #putOff(reason: string): 'later' {
    if (this.#retryMs === 0) this.#options.logger.warn('trace_spans_wait', { reason });
    this.#retryMs = Math.min(retryMsMax, Math.max(1_000, this.#retryMs * 2));
    this.#retryAtMs = performance.now() + this.#retryMs;
    return 'later';
  }
}

function reveal(headers: ReadonlyMap<string, Secret>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, value.reveal()]));
}

// The reason that Node.js gives for a failed fetch stands in its cause; the message says no more than that it failed.
function describe(error: unknown): string {
  const { message = '', cause } = error as Partial<Error>;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

async function readBounded(body: Response['body']): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > answerBytesMax) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** How many spans a collector says that it did not take, although it took the rest. */
function countRefused(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
