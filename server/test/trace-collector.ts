import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };

/** A span as the protocol writes it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code?: number };
}

interface Traces {
  resourceSpans: { resource: { attributes: unknown[] }; scopeSpans: { spans: CollectedSpan[] }[] }[];
}

/** A receiver of OTLP over HTTP on a port of this machine, which keeps what it is sent. */
export class TraceCollector {
  readonly bodies: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** How it answers; by default it takes all. */
  answer: (response: ServerResponse) => void = (response) => void response.end('{}');
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      this.headers.push(request.headers);
      if (request.url === '/v1/traces') this.bodies.push(Buffer.concat(pieces).toString('utf8'));
      this.answer(response);
    });
  }

  static async start(port = 0): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.#server.listen(port, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): CollectedSpan[] {
    return this.bodies.flatMap((body) =>
      (JSON.parse(body) as Traces).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** The attributes of a span as plain values. */
export function attributesOf(span: CollectedSpan | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
    ]),
  );
}
