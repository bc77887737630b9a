import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFakeEmbeddings } from './fake-embeddings.js';
import { answerFake } from './fake-upstream-answer.js';
import { type FaultVerbs, readFaultVerbs } from './fake-upstream-verbs.js';

/** What one request to the fake upstream looked like, and what became of its connection. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body as JSON; null when it is none. */
  readonly body: Record<string, unknown> | null;
  /** Resolves when the answer is finished, or its connection closed: `true` for the latter, as an abort does. */
  readonly wasCutOff: Promise<boolean>;
}

/**
 * An OpenAI-compatible provider over real HTTP, on a free port of this machine. It answers three short pieces and honest
 * usage, unless the last user message holds fault verbs such as `@@status=500` (see `fake-upstream-verbs.ts`).
 */
export class FakeUpstream {
  /** Every request for answers or embeddings so far, oldest first. */
  readonly requests: RecordedRequest[] = [];
  /** Answers whatever the verbs say, where another one obeys them. */
  ignoresVerbs = false;
  readonly #server: Server;
  #connectionCount = 0;
  #goOn: Promise<void> | null = null;

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
    this.#server.on('connection', () => {
      this.#connectionCount += 1;
    });
  }

  /** Starts on `port`, or on a free one. */
  static async start(port = 0): Promise<FakeUpstream> {
    const upstream = new FakeUpstream();
    await new Promise<void>((resolve) => upstream.#server.listen(port, '127.0.0.1', resolve));
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For `OPENAI_BASE_URL` and its like. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** How many connections were ever opened to it. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  /** Takes requests for answers, and gives none before what is returned is called. */
  holdAnswers(): () => void {
    let letGo = () => {};
    this.#goOn = new Promise((resolve) => {
      letGo = resolve;
    });
    return () => {
      this.#goOn = null;
      letGo();
    };
  }

  /** Ends at once, whatever still runs. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (request.method === 'GET' && path === '/requests') return this.#listRequests(response);
    const text = await readText(request).catch(() => null);
    if (text === null) return;
    const body = parseObject(text);
    const wasCutOff = new Promise<boolean>((resolve) => {
      response.on('close', () => resolve(!response.writableFinished));
    });
    if (path.endsWith('/embeddings')) {
      this.requests.push({ path, headers: request.headers, text, body, wasCutOff });
      await this.#goOn;
      await answerFakeEmbeddings(response, body ?? {});
      return;
    }
    if (!path.endsWith('/chat/completions')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such route"}}');
      return;
    }
    this.requests.push({ path, headers: request.headers, text, body, wasCutOff });
    await this.#goOn;
    await answerFake({ request, response, body: body ?? {}, verbs: this.ignoresVerbs ? new Map() : findVerbs(body) });
  }

  // For tests that run the fake upstream as a process of its own.
  #listRequests(response: ServerResponse): void {
    const records = this.requests.map(({ path, headers, body }) => ({ path, headers, body }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(records));
  }
}

function findVerbs(body: Record<string, unknown> | null): FaultVerbs {
  const messages = Array.isArray(body?.messages) ? (body.messages as { role: string; content: unknown }[]) : [];
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof content === 'string') return readFaultVerbs(content);
  const parts = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return readFaultVerbs(parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(' '));
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
