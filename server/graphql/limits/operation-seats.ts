import { AppError } from '../../kernel/app-error.js';

/** What a page of the dashboard asks at once comes to about as many. */
const runningOfOneMax = 8;
const runningMax = 256;
/** A script that signs hundreds up or makes as many keys at once has its answers; their bodies count in the memory for bodies. */
const waitingOfOneMax = 512;
const waitingMax = 4_096;
/** Many clients give up after 30 seconds. */
const waitMsMax = 20_000;

/** One operation that runs, or waits to. */
interface Seat {
  readonly owner: string;
  state: 'waiting' | 'running' | 'over';
  begin: (mayBegin: boolean) => void;
  refuse: (reason: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Bounds how many operations run at once: 8 of one asker and 256 in all, each until its answer has left, so that neither the database nor
 * memory is filled by what one asks for, and calls and other people's pages go on between. Further ones wait for 20 seconds at most, in
 * order, but nobody behind those of somebody who has no place left.
 */
export class OperationSeats {
  readonly #running = new Tally();
  readonly #waiting = new Tally();
  /** Those that wait, in the order in which they came. */
  readonly #queue = new Set<Seat>();

  /**
   * @param onLeave Calls its listener once when the answer has left or its asker is gone.
   * @returns null: it may begin at once. Else what says when it may; false: its asker has left. Rejects with an AppError
   *   `service_unavailable` after 20 seconds.
   * @throws AppError `concurrency_limit_exceeded` where 512 of that asker wait already, `service_unavailable` where 4,096 do in all.
   */
  enter(owner: string, onLeave: (listener: () => void) => void): Promise<boolean> | null {
    const mayBegin = this.#hasPlace(owner);
    if (!mayBegin && this.#waiting.of(owner) >= waitingOfOneMax) throw refuseMany();
    if (!mayBegin && this.#queue.size >= waitingMax) throw refuseLate();
    const seat: Seat = { owner, state: 'waiting', begin: () => {}, refuse: () => {}, timer: undefined };
    const begun = mayBegin ? null : this.#wait(seat);
    if (mayBegin) this.#begin(seat);
    onLeave(() => this.#leave(seat));
    return begun;
  }

  #hasPlace(owner: string): boolean {
    return this.#running.of(owner) < runningOfOneMax && this.#running.count < runningMax;
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
    this.#running.add(seat.owner);
    seat.begin(true);
  }

  #leave(seat: Seat): void {
    const { state } = seat;
    seat.state = 'over';
    if (state === 'waiting') {
      this.#takeOut(seat);
      seat.begin(false);
    } else if (state === 'running') {
      this.#running.remove(seat.owner);
      this.#beginNext();
    }
  }

  #takeOut(seat: Seat): void {
    this.#queue.delete(seat);
    this.#waiting.remove(seat.owner);
    clearTimeout(seat.timer);
  }

  #beginNext(): void {
    for (const seat of this.#queue) {
      if (this.#running.count >= runningMax) return;
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
  return new AppError('service_unavailable', words, { retryAfterMs: 2_000, innerReason: 'too many operations run' });
}
