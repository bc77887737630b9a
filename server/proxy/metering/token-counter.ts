import type { Worker } from 'node:worker_threads';
import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';
import { tryStartThread } from '../../kernel/jobs/start-thread.js';
import type { Logger } from '../../kernel/logger.js';
import { CountingJob, countMessages } from './counting-job.js';

/** Texts of so many characters together are short: they come before others, and are turned away last. */
export const shortCharactersMax = 16 * 1024;

/** Texts whose tokens are to be counted, and their counts in the same order: what is said to the thread, and by it. */
export type CountRequest = readonly string[];
export type CountReply = readonly number[];

export interface TokenCounterOptions {
  readonly logger: Logger;
  /**
   * How long an answer may be waited for, its thread’s start included, in milliseconds; 10,000 when left out. Each 256 Ki
   * characters of the texts and of what is counted before them give half a second more, which is what they cost at the very worst.
   */
  readonly deadlineMs?: number;
  /** How many characters may wait to be counted before a text; 16 Mi when left out. Before a short one, four times as many. */
  readonly waitingCharactersMax?: number;
  /** The program of the thread; tests have their own. */
  readonly program?: URL;
}

/** What a message costs at the very worst; the tokenizer's time grows with the square of a run without a break. */
const messageMs = 500;
/** A thread that is silent for this long, its start included, is taken for stuck. */
const stuckMs = 30_000;
const heapMebibytes = 256;
/** Of short texts: those that wait are bounded by the calls at once already. */
const shortShare = 4;

/**
 * Counts the tokens of texts with the tokenizer of today's OpenAI models, in one thread of its own that is started when it is
 * first needed. A long text is counted in pieces, and whoever has the least left to count comes first, so that nobody waits for
 * another's long text. Who would wait too long is told null instead, and so is everyone whose thread dies.
 */
export class TokenCounter {
  readonly #options: Required<TokenCounterOptions>;
  readonly #waiting: CountingJob[] = [];
  #counting: CountingJob | null = null;
  #stuck: AwakeTimer | null = null;
  #worker: Worker | null = null;
  #isClosed = false;
  #givenUpCount = 0;

  constructor(options: TokenCounterOptions) {
    const program = new URL('./count-tokens-worker.js', import.meta.url);
    this.#options = { deadlineMs: 10_000, waitingCharactersMax: 16 * 1024 * 1024, program, ...options };
  }

  /** How many times the answer was null. */
  get givenUpCount(): number {
    return this.#givenUpCount;
  }

  /**
   * Counts the tokens of each text, or gives up: when too much is counted before, at the deadline, when the thread dies. Never
   * throws. The same text always has the same count, at most one token in 1,024 characters too high. Texts may have any length.
   * @param timeoutMs For who cannot wait until all that stands before is counted: how long they wait.
   */
  async count(texts: CountRequest, timeoutMs: number | null = null): Promise<CountReply | null> {
    const counts = await this.#ask(texts, timeoutMs);
    if (counts === null) this.#givenUpCount += 1;
    return counts;
  }

  /** Ends the thread; who waits is told null. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.end(false);
    await this.#worker?.terminate();
  }

  #ask(texts: CountRequest, timeoutMs: number | null): Promise<CountReply | null> {
    return new Promise((answer) => {
      const job = new CountingJob(texts, answer);
      const charactersBefore = this.#sumCharactersBefore(job);
      const isShort = job.charactersLeft <= shortCharactersMax;
      const charactersBeforeMax = this.#options.waitingCharactersMax * (isShort ? shortShare : 1);
      if (this.#isClosed || charactersBefore > charactersBeforeMax) {
        job.end(false);
        return;
      }
      const extraMs = (countMessages(charactersBefore + job.charactersLeft) - 1) * messageMs;
      job.endAfter(timeoutMs ?? this.#options.deadlineMs + extraMs, () => this.#giveUp(job));
      this.#waiting.push(job);
      this.#countNext();
    });
  }

  #sumCharactersBefore({ charactersLeft: own }: CountingJob): number {
    return this.#waiting.reduce((sum, { charactersLeft }) => sum + (charactersLeft <= own ? charactersLeft : 0), 0);
  }

  #countNext(): void {
    if (this.#counting !== null) return;
    const job = this.#takeShortest();
    if (job === undefined) return;
    this.#counting = job;
    this.#worker ??= this.#startWorker();
    if (this.#worker === null) {
      this.#endPiece(null);
      return;
    }
    this.#stuck = new AwakeTimer(stuckMs, () => void this.#worker?.terminate()).unref();
    this.#worker.postMessage(job.next());
  }

  #takeShortest(): CountingJob | undefined {
    let shortest = 0;
    this.#waiting.forEach((job, index) => {
      if (job.charactersLeft < (this.#waiting[shortest]?.charactersLeft ?? 0)) shortest = index;
    });
    return this.#waiting.splice(shortest, 1)[0];
  }

  // A piece that is being counted is left to end, for the next one needs the thread anyway.
  #giveUp(job: CountingJob): void {
    const place = this.#waiting.indexOf(job);
    if (place >= 0) this.#waiting.splice(place, 1);
    job.end(false);
  }

  #endPiece(counts: CountReply | null): void {
    const job = this.#counting;
    this.#counting = null;
    this.#stuck?.stop();
    if (job) this.#goOnWith(job, counts);
    this.#countNext();
  }

  #goOnWith(job: CountingJob, counts: CountReply | null): void {
    if (counts !== null) job.add(counts);
    const hasMore = counts !== null && !job.isCounted && !job.hasEnded && !this.#isClosed;
    if (hasMore) this.#waiting.push(job);
    else job.end(counts !== null && job.isCounted);
  }

  /** null: the system gives no thread, for now. */
  #startWorker(): Worker | null {
    const { program, logger } = this.#options;
    const worker = tryStartThread(program, heapMebibytes, (error) => logger.error('token_counter_failed', { error }));
    if (worker === null) return null;
    worker.on('message', (counts: CountReply) => this.#endPiece(counts));
    worker.on('exit', () => {
      this.#worker = null;
      this.#endPiece(null);
    });
    return worker;
  }
}
