import { AppError } from '../../kernel/app-error.js';

/** What a page of the dashboard asks at once comes to about as many. */
const runningOfOneMax = 8;
const runningMax = 256;
/** A script that signs hundreds up or makes as many keys at once has its answers. */
const waitingOfOneMax = 512;
const waitingMax = 2_048;
/** Many clients give up after 30 seconds. */
const waitMsMax = 20_000;

/** One operation that runs, or waits to. */
interface Seat {
  readonly owner: string;
  /** `done`: it has run, and its answer is leaving. */
  state: 'waiting' | 'running' | 'done' | 'over';
  /** Whether its answer has left, or its asker. */
  hasLeft: boolean;
  begin: (mayBegin: boolean) => void;
  refuse: (reason: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Bounds how many operations run at once, so that neither the database nor memory is filled by what one asks for, and calls and other people's
 * pages go on between: 256 in all, and of one asker 8, each of which counts until its answer has left. What runs counts also where
 * its asker has given up: nothing stops it. Further ones wait for 20 seconds at most, in order, but nobody behind those of somebody who has no
 * place left.
 */
export class OperationSeats {
  /** Of each asker: what runs, or whose answer has not left. */
  readonly #seated = new Tally();
  readonly #waiting = new Tally();
  #runningCount = 0;
  /** Those that wait, in the order in which they came. */
  readonly #queue = new Set<Seat>();

  /**
   * Does the work once it may begin; never, where its asker leaves before.
   * @param onLeave Calls its listener once when the answer has left or its asker is gone.
   * @throws AppError `concurrency_limit_exceeded` where 512 of that asker wait already, `service_unavailable` where 2,048 do in all, or
   *   after 20 seconds; what the work throws.
   */
  async run(
    owner: string,
    onLeave: (listener: () => void) => void,
    work: (hasWaited: boolean) => Promise<void>,
  ): Promise<void> {
    const hasPlace = this.#hasPlace(owner);
    if (!hasPlace && this.#waiting.of(owner) >= waitingOfOneMax) throw refuseMany();
    if (!hasPlace && this.#queue.size >= waitingMax) throw refuseLate();
    const seat: Seat = { owner, state: 'waiting', hasLeft: false, begin: () => {}, refuse: () => {}, timer: undefined };
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

  #wait(seat: Seat): Promise<boolean> {
    this.#waiting.add(seat.owner);
    this.#queue.add(seat);
    seat.timer = setTimeout(() => {
      this.#takeOut(seat);
      seat.state = 'over';
      seat.refuse(refuseLate());
    }, waitMsMax);
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
    clearTimeout(seat.timer);
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

  add(owner: string): void {
    this.#of.set(owner, this.of(owner) + 1);
    this.count += 1;
  }

  remove(owner: string): void {
    const left = this.of(owner) - 1;
    if (left > 0) this.#of.set(owner, left);
    else this.#of.delete(owner);
    this.count -= 1;
  }
}

function refuseMany(): AppError {
  const words = `You already have ${waitingOfOneMax} requests waiting. Wait for some of them to end.`;
  return new AppError('concurrency_limit_exceeded', words, { retryAfterMs: 1_000 });
}

function refuseLate(): AppError {
  const words = 'The server has more requests than it can answer. Nothing was done. Try again in a moment.';
  return new AppError('service_unavailable', words, { retryAfterMs: 2_000 });
}
