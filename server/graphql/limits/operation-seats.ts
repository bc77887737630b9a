import { AppError } from '../../kernel/app-error.js';
import type { Stopwatch } from '../../kernel/clock.js';
import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';
import { SeldomTold } from '../../kernel/jobs/seldom-told.js';
import type { Logger } from '../../kernel/logger.js';
import type { Metric } from '../../kernel/metrics/metric.js';

/** What a page of the dashboard asks at once comes to about as many. */
const runningOfOneMax = 8;
const runningMax = 256;
/** A script that signs hundreds up or makes as many keys at once has its answers. */
const waitingOfOneMax = 512;
const waitingMax = 2_048;
/** Their bodies are in memory: as many as may wait are seldom larger than 8 KiB. */
const waitingBytesOfOneMax = 4 * 1024 * 1024;
const waitingBytesMax = 16 * 1024 * 1024;
/** Many clients give up after 30 seconds. */
const waitMsMax = 20_000;

/** An operation that is asked for. */
interface AskedOperation {
  readonly owner: string;
  /** How long the body is that asks for it. */
  readonly bytes: number;
}

/** One operation that runs, or waits to. */
interface Seat extends AskedOperation {
  /** `done`: it has run, and its answer is leaving. */
  state: 'waiting' | 'running' | 'done' | 'over';
  /** Whether its answer has left, or its asker. */
  hasLeft: boolean;
  begin: (mayBegin: boolean) => void;
  refuse: (reason: Error) => void;
  timer: AwakeTimer | undefined;
}

/**
 * Bounds how many operations run at once, so that neither the database nor memory is filled by what one asks for, and calls and other people's
 * pages go on between: 256 in all, and of one asker 8, each of which counts until its answer has left. What runs counts also where
 * its asker has given up: nothing stops it. Further ones wait for 20 seconds at most, of which a standstill of the process is hardly any, in order, but nobody behind those of somebody who has no
 * place left. Whoever is refused is told when to come again; the operator has figures of it, and a line of the log a minute.
 */
export class OperationSeats {
  /** Of each asker: what runs, or whose answer has not left. */
  readonly #seated = new Tally();
  readonly #waiting = new Tally();
  readonly #waitingBytes = new Tally();
  #runningCount = 0;
  #refusedCount = 0;
  readonly #refusals: SeldomTold;
  /** Those that wait, in the order in which they came. */
  readonly #queue = new Set<Seat>();

  constructor(
    private readonly logger: Pick<Logger, 'warn'>,
    clock: Stopwatch,
  ) {
    this.#refusals = new SeldomTold(clock);
  }

  /** For the operator's monitoring. */
  listMetrics(): Metric[] {
    return [
      {
        name: 'tollgate_graphql_running',
        help: 'GraphQL operations that run.',
        kind: 'gauge',
        value: this.#runningCount,
      },
      {
        name: 'tollgate_graphql_waiting',
        help: 'GraphQL operations that wait to be begun: their asker has eight under way, or all have 256.',
        kind: 'gauge',
        value: this.#queue.size,
      },
      {
        name: 'tollgate_graphql_not_begun_total',
        help: 'GraphQL operations that were refused because they waited for 20 seconds, or behind too many.',
        kind: 'counter',
        value: this.#refusedCount,
      },
    ];
  }

  /**
   * Does the work once it may begin; never, where its asker leaves before.
   * @param onLeave Calls its listener once when the answer has left or its asker is gone.
   * @throws AppError `concurrency_limit_exceeded` where 512 of that asker wait already, or 4 MiB of bodies; `service_unavailable` where 2,048
   *   do in all, or 16 MiB, or after 20 seconds; what the work throws.
   */
  async run(
    asked: AskedOperation,
    onLeave: (listener: () => void) => void,
    work: (hasWaited: boolean) => Promise<void>,
  ): Promise<void> {
    const hasPlace = this.#hasPlace(asked.owner);
    if (!hasPlace) this.#refuseBehindMany(asked);
    const { owner, bytes } = asked;
    const none = () => {};
    const seat: Seat = { owner, bytes, state: 'waiting', hasLeft: false, begin: none, refuse: none, timer: undefined };
    const begun = hasPlace ? null : this.#wait(seat);
    if (hasPlace) this.#begin(seat);
    onLeave(() => this.#leave(seat));
    if (begun !== null && !(await begun)) return;
    try {
      await work(begun !== null);
    } finally {
      this.#end(seat);
    }
  }

  #hasPlace(owner: string): boolean {
    return this.#seated.of(owner) < runningOfOneMax && this.#runningCount < runningMax;
  }

  #refuseBehindMany({ owner, bytes }: AskedOperation): void {
    const bytesOfOne = this.#waitingBytes.of(owner) + bytes;
    if (this.#waiting.of(owner) >= waitingOfOneMax || bytesOfOne > waitingBytesOfOneMax)
      throw this.#refuse(createMany());
    if (this.#queue.size >= waitingMax || this.#waitingBytes.count + bytes > waitingBytesMax)
      throw this.#refuse(createLate());
  }

  #refuse(error: AppError): AppError {
    this.#refusedCount += 1;
    this.#refusals.note((requests) => {
      const facts = { running: this.#runningCount, waiting: this.#queue.size };
      this.logger.warn('graphql_not_begun', { requests, code: error.code, ...facts });
    });
    return error;
  }

  #wait(seat: Seat): Promise<boolean> {
    this.#waiting.add(seat.owner);
    this.#waitingBytes.add(seat.owner, seat.bytes);
    this.#queue.add(seat);
    seat.timer = new AwakeTimer(waitMsMax, () => {
      this.#takeOut(seat);
      seat.state = 'over';
      seat.refuse(this.#refuse(createLate()));
    });
    return new Promise((resolve, reject) => Object.assign(seat, { begin: resolve, refuse: reject }));
  }

  #begin(seat: Seat): void {
    seat.state = 'running';
    this.#seated.add(seat.owner);
    this.#runningCount += 1;
    seat.begin(true);
  }

  #leave(seat: Seat): void {
    if (seat.hasLeft) return;
    seat.hasLeft = true;
    if (seat.state === 'waiting') {
      this.#takeOut(seat);
      seat.state = 'over';
      seat.begin(false);
    } else if (seat.state === 'done') this.#stand(seat);
  }

  #end(seat: Seat): void {
    seat.state = 'done';
    this.#runningCount -= 1;
    if (seat.hasLeft) this.#stand(seat);
    else this.#beginNext();
  }

  #stand(seat: Seat): void {
    seat.state = 'over';
    this.#seated.remove(seat.owner);
    this.#beginNext();
  }

  #takeOut(seat: Seat): void {
    this.#queue.delete(seat);
    this.#waiting.remove(seat.owner);
    this.#waitingBytes.remove(seat.owner, seat.bytes);
    seat.timer?.stop();
  }

  #beginNext(): void {
    for (const seat of this.#queue) {
      if (this.#runningCount >= runningMax) return;
      if (!this.#hasPlace(seat.owner)) continue;
      this.#takeOut(seat);
      this.#begin(seat);
    }
  }
}

/** How many there are, of each owner and in all. */
class Tally {
  readonly #of = new Map<string, number>();
  count = 0;

  of(owner: string): number {
    return this.#of.get(owner) ?? 0;
  }

  add(owner: string, amount = 1): void {
    this.#of.set(owner, this.of(owner) + amount);
    this.count += amount;
  }

  remove(owner: string, amount = 1): void {
    const left = this.of(owner) - amount;
    if (left > 0) this.#of.set(owner, left);
    else this.#of.delete(owner);
    this.count -= amount;
  }
}

function createMany(): AppError {
  const words = 'You already have as many requests waiting as you may. Wait for some of them to end.';
  return new AppError('concurrency_limit_exceeded', words, { retryAfterMs: 1_000 });
}

function createLate(): AppError {
  const words = 'The server has too many requests. Nothing was changed. Try again in a moment.';
  return new AppError('service_unavailable', words, { retryAfterMs: 2_000 });
}
