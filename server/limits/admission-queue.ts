import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';

/** For so long in one turn of the event loop calls are begun as they come. */
const beginningMsMax = 20;
/** Many clients give up after 30 seconds, and an answer needs its own time. */
const waitMsMax = 10_000;
/** A turn that takes longer is one in which the whole process stood still, as on a machine that was suspended: no call waited behind others meanwhile. */
const turnMsMax = 2_000;
/** Also where none of them has a body to speak of. */
const waitingMax = 2_048;
/** Node reads on until it has 16 KiB of a body, and 64 KiB at once; then it leaves the rest of it with the system. */
const readAheadBytesMax = 80 * 1024;
/** An error is quickly written, and a thousand are not. */
const refusedPerTurn = 64;

/** Whoever makes a call. */
export interface WaitingCaller {
  /** How long its body is said to be; null: nobody knows. */
  readonly bodyBytes: number | null;
  /** Looks whether the connection is still there. */
  isThere(): boolean;
  /** Calls this once when the caller leaves. */
  onLeave(listener: () => void): void;
}

interface WaitingCall {
  readonly caller: WaitingCaller;
  /** By the time that this queue counts. */
  readonly sinceMs: number;
  /** What Node may hold of its body. */
  readonly bytes: number;
  /** The turn of the loop in which it came. */
  readonly turn: number;
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Lets a process that is asked for more than it can do end what it has begun. Without it, all calls that come are begun, each waits in every step
 * behind all others, and where that takes longer than clients have patience for, none is answered in time: the process works, and
 * nobody has anything of it.
 *
 * Here calls are begun as they come while a turn of the event loop is short. Of a longer one, the rest waits, in order, and one begins
 * in each next turn, between what goes on of those that run; the loop takes one new connection a turn as well. Who waits has cost nothing yet but
 * the memory of what Node reads ahead of its body, which is bounded over all of them. Who has waited for ten seconds is refused, and who left meanwhile is not begun.
 * Of one turn two seconds count at most: a process that stood still begins who is still there.
 *
 * The first call of a connection waits for the next turn in any case: of a client that gave up before its connection was
 * taken, the loop reads the request, and only then that nobody waits for an answer.
 *
 * It measures nothing but the turns of the loop, so it is the same whether the processor is small, shared, or the load is large, and a
 * process at ease never notices it.
 */
export class AdmissionQueue {
  /** In the order in which they came. */
  readonly #waiting = new Set<WaitingCall>();
  /** When the first call of this turn of the loop came; null: none has. */
  #turnBeganMs: number | null = null;
  /** Turns at whose end calls waited. */
  #turns = 0;
  /** How long calls have waited, and until when that is counted. */
  #waitedMs = 0;
  #countedUntilMs = 0;
  #refusedCount = 0;
  #waitingBytes = 0;

  /** @param waitingBytesMax What may have been read of the bodies of all that wait. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly waitingBytesMax: number,
  ) {}

  /** Calls that wait to be begun. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Calls that were refused because they waited too long, or behind too many, since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /**
   * Asked before anything is read or reserved for a call.
   * @param isFirst Whether it is the first call of its connection.
   * @returns null: it may begin at once. Else what resolves when it may, and rejects with an AppError `service_unavailable` after ten
   *   seconds, or with any error where its caller has left.
   * @throws AppError `service_unavailable` where 2,048 calls wait already, or bodies of as many bytes as may.
   */
  enter(caller: WaitingCaller, isFirst: boolean): Promise<void> | null {
    const nowMs = this.clock.monotonicMs();
    if (this.#waiting.size === 0 && !isFirst) {
      if (this.#turnBeganMs === null) this.#noteTurn(nowMs);
      if (nowMs - (this.#turnBeganMs ?? nowMs) < beginningMsMax) return null;
    }
    const bytes = Math.min(caller.bodyBytes ?? readAheadBytesMax, readAheadBytesMax);
    if (this.#waiting.size >= waitingMax || this.#waitingBytes + bytes > this.waitingBytesMax)
      throw this.#createRefusal();
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) {
        this.#countedUntilMs = nowMs;
        setImmediate(() => this.#beginNext());
      }
      const call = { caller, sinceMs: this.#waitedMs, bytes, turn: this.#turns, begin: resolve, refuse: reject };
      this.#waiting.add(call);
      this.#waitingBytes += bytes;
      // Its place among the calls of its account is free at once.
      caller.onLeave(() => {
        if (this.#take(call)) reject(createLeft());
      });
    });
  }

  // Nothing says which turn of the loop this is, but what is put behind its events runs at its end.
  #noteTurn(nowMs: number): void {
    this.#turnBeganMs = nowMs;
    setImmediate(() => {
      this.#turnBeganMs = null;
    });
  }

  #beginNext(): void {
    const nowMs = this.clock.monotonicMs();
    this.#waitedMs += Math.min(nowMs - this.#countedUntilMs, turnMsMax);
    this.#countedUntilMs = nowMs;
    const overdueBeforeMs = this.#waitedMs - waitMsMax;
    let refused = 0;
    let hasBegun = false;
    for (const call of this.#waiting) {
      // Only the next turn brings the news that the client of one that came in this turn is gone.
      if (hasBegun || refused === refusedPerTurn || call.turn === this.#turns) break;
      this.#take(call);
      if (!call.caller.isThere()) call.refuse(createLeft());
      else if (call.sinceMs <= overdueBeforeMs) {
        call.refuse(this.#createRefusal());
        refused += 1;
      } else {
        call.begin();
        hasBegun = true;
      }
    }
    this.#turns += 1;
    if (this.#waiting.size > 0) setImmediate(() => this.#beginNext());
  }

  /** @returns whether it waited still. */
  #take(call: WaitingCall): boolean {
    const isWaiting = this.#waiting.delete(call);
    if (isWaiting) this.#waitingBytes -= call.bytes;
    return isWaiting;
  }

  #createRefusal(): AppError {
    this.#refusedCount += 1;
    const words =
      'The server has more calls than it can answer. Nothing was done and nothing charged. Try again in a moment.';
    return new AppError('service_unavailable', words, {
      retryAfterMs: 2_000,
      innerReason: 'too many calls wait to begin',
    });
  }
}

function createLeft(): Error {
  return new Error('The caller has left.');
}
