import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Customer } from '../crash/create-customer.js';
import { makeCall, type SeenCall } from '../crash/make-call.js';

/** More at once are not begun: the machine cannot keep up then, and would only swap. */
const underWayMax = 3_000;
const tickMs = 10;
/** A call that has not ended so long after the last one was begun is given up. */
const endTimeoutMs = 60_000;
/** Half of the calls are streams of so many pieces. */
const streamPieces = 8;
const pieceEveryMs = 25;
const plainTokens = 5;

/** What a caller saw of one call, and when, by `performance.now()`. */
export interface LoadedCall {
  readonly accountId: string;
  readonly call: SeenCall;
  readonly isStreamed: boolean;
  readonly endedMs: number;
}

/** Callers who begin so many calls a second, plain and streamed in turn, whatever becomes of those before. None is tried again. */
export class Load {
  readonly seen: LoadedCall[] = [];
  /** Calls that should have been begun, while too many were under way. */
  skippedCount = 0;
  readonly #agent = new Agent({ keepAlive: true, timeout: 20_000 });
  readonly #underWay = new Set<Promise<void>>();
  readonly #startedMs = performance.now();
  #begunCount = 0;
  #isStopped = false;
  readonly #running: Promise<void>;

  constructor(
    private readonly baseUrl: string,
    private readonly customers: readonly Customer[],
    private readonly callsPerSecond: number,
  ) {
    this.#running = this.#run();
  }

  get wholeCount(): number {
    return this.seen.filter(({ call }) => call.outcome === 'whole').length;
  }

  /** Begins no more calls; resolves when all have ended. @returns how many were begun in a second. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#running;
    const perSecond = (1_000 * this.#begunCount) / (performance.now() - this.#startedMs);
    await Promise.race([Promise.all(this.#underWay), sleep(endTimeoutMs, null, { ref: false })]);
    this.#agent.destroy();
    await Promise.all(this.#underWay);
    return perSecond;
  }

  async #run(): Promise<void> {
    for (let due = 0; !this.#isStopped; await sleep(tickMs)) {
      const wanted = Math.floor(((performance.now() - this.#startedMs) * this.callsPerSecond) / 1_000);
      for (; due < wanted; due += 1) {
        if (this.#underWay.size < underWayMax) this.#begin(due);
        else this.skippedCount += 1;
      }
    }
  }

  #begin(index: number): void {
    this.#begunCount += 1;
    const customer = this.customers[index % this.customers.length] as Customer;
    const isStreamed = index % 2 === 0;
    const call = makeCall(
      { baseUrl: this.baseUrl, apiKey: customer.apiKey, agent: this.#agent },
      {
        ...({ model: 'gpt-4o-mini', isStreamed, leaveAfterBytes: null } as const),
        ...(isStreamed ? { tokens: streamPieces, delayMs: pieceEveryMs } : { tokens: plainTokens, delayMs: 0 }),
      },
    ).then((seen) => {
      this.seen.push({ accountId: customer.accountId, call: seen, isStreamed, endedMs: performance.now() });
      this.#underWay.delete(call);
    });
    this.#underWay.add(call);
  }
}
