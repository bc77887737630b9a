import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';
import { tryStartThread } from '../../kernel/jobs/start-thread.js';
import type { Logger } from '../../kernel/logger.js';
import { type ParsedRequest, type ParseOptions, parseRequest } from './parse-request.js';
import type { LargeBody, ReceivedBody } from './received-body.js';

/** What is said to the thread, and by it. */
export interface ParseJob extends Omit<ParseOptions, 'isLarge'> {
  readonly blocks: LargeBody['blocks'];
}
export interface DecodeJob {
  readonly tokens: readonly Uint32Array[];
}
export type ParseReply =
  | { readonly parsed: ParsedRequest }
  | { readonly texts: readonly string[] }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly param: string | null } }
  | { readonly failure: string };

export interface RequestParserOptions {
  readonly logger: Logger;
  /** How long a body may wait, and how long it may then be parsed, in milliseconds each; 30,000 when left out. */
  readonly deadlineMs?: number;
  /** The program of the thread; tests have their own. */
  readonly program?: URL;
}

interface Waiting {
  readonly job: ParseJob | DecodeJob;
  readonly settle: (reply: ParseReply | null) => void;
  deadline: AwakeTimer;
}

// What the largest body needs, five times over.
const heapMebibytes = 1_024;

/**
 * Parses and checks the bodies of chat requests: small ones at once, and large ones, one after the other, in a thread of its
 * own that is started when it is first needed. The same thread decodes tokens. How many large ones may wait is bounded by the memory for bodies.
 */
export class RequestParser {
  readonly #options: Required<RequestParserOptions>;
  readonly #waiting: Waiting[] = [];
  #parsing: Waiting | null = null;
  #worker: Worker | null = null;
  #isClosed = false;

  constructor(options: RequestParserOptions) {
    const program = new URL('./parse-request-worker.js', import.meta.url);
    this.#options = { deadlineMs: 30_000, program, ...options };
  }

  /**
   * Parses a body; a large one is used up by it.
   * @throws AppError as `parseRequest`; `service_unavailable` when the thread dies or takes too long.
   */
  parse(body: ReceivedBody, options: Omit<ParseOptions, 'isLarge'> = {}): ParsedRequest | Promise<ParsedRequest> {
    if (body.isLarge) return this.#parseElsewhere({ blocks: body.blocks, ...options });
    return parseRequest(body.text, options);
  }

  /**
   * Puts ids of tokens, of cl100k_base, back into the texts that they stand for, in the thread.
   * @throws AppError naming the `input` at fault: `invalid_value`; `service_unavailable` as for a body.
   */
  async decode(tokens: readonly Uint32Array[]): Promise<readonly string[]> {
    const reply = await this.#ask({ tokens });
    if ('texts' in reply) return reply.texts;
    throw new Error('Ids of tokens are answered by texts.');
  }

  /** Ends the thread; who waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) this.#end(job, null);
    await this.#worker?.terminate();
  }

  async #parseElsewhere(job: ParseJob): Promise<ParsedRequest> {
    const reply = await this.#ask(job);
    if ('parsed' in reply) return reply.parsed;
    throw new Error('A body is answered by what is in it.');
  }

  /** @throws AppError when it is refused, or nobody answers in time. */
  async #ask(job: ParseJob | DecodeJob): Promise<Extract<ParseReply, { parsed: unknown } | { texts: unknown }>> {
    const reply = this.#isClosed ? null : await this.#wait(job);
    // To take a long text from the other thread has held the loop already; whoever goes on with it begins by measuring it.
    await nextTurn();
    if (reply === null) {
      throw new AppError('service_unavailable', 'This request could not be read just now. Try again.', {
        retryAfterMs: 1_000,
      });
    }
    if ('failure' in reply) throw new Error(`A body could not be checked: ${reply.failure}`);
    if (!('refusal' in reply)) return reply;
    const { code, message, param } = reply.refusal;
    throw new AppError(code, message, param === null ? {} : { param });
  }

  #wait(job: ParseJob | DecodeJob): Promise<ParseReply | null> {
    return new Promise((settle) => {
      const waiting: Waiting = { job, settle, deadline: this.#limit(() => this.#giveUp(waiting)) };
      this.#waiting.push(waiting);
      this.#parseNext();
    });
  }

  #parseNext(): void {
    if (this.#parsing !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#parsing = next;
    // Of its own: a thread that has just begun with what had waited long is not stuck, and to end it would help nobody.
    next.deadline.stop();
    next.deadline = this.#limit(() => this.#giveUp(next));
    this.#worker ??= this.#startWorker();
    const { job } = next;
    if (this.#worker === null) this.#endParsing(null);
    else this.#worker.postMessage(job, 'blocks' in job ? job.blocks.map(({ buffer }) => buffer) : []);
  }

  #limit(giveUp: () => void): AwakeTimer {
    return new AwakeTimer(this.#options.deadlineMs, giveUp);
  }

  // A thread that is at it for so long is taken for stuck, and the next one for a fresh thread.
  #giveUp(job: Waiting): void {
    const place = this.#waiting.indexOf(job);
    if (place >= 0) this.#waiting.splice(place, 1);
    else void this.#worker?.terminate();
    this.#end(job, null);
  }

  #end(job: Waiting | null, reply: ParseReply | null): void {
    if (job === null) return;
    job.deadline.stop();
    job.settle(reply);
  }

  #endParsing(reply: ParseReply | null): void {
    const job = this.#parsing;
    this.#parsing = null;
    this.#end(job, reply);
    this.#parseNext();
  }

  /** null: the system gives no thread, for now. */
  #startWorker(): Worker | null {
    const { program, logger } = this.#options;
    const worker = tryStartThread(program, heapMebibytes, (error) => logger.error('request_parser_failed', { error }));
    if (worker === null) return null;
    worker.on('message', (reply: ParseReply) => this.#endParsing(reply));
    worker.on('exit', () => {
      this.#worker = null;
      this.#endParsing(null);
    });
    return worker;
  }
}
