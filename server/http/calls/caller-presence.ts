import type { ServerResponse } from 'node:http';

/** Whether a caller is still there. The signal is made when it is first asked for. */
export class CallerPresence {
  #left: AbortController | null = null;
  #reason: Error | null = null;
  #onLeave: (() => void) | null = null;

  constructor(private readonly response: ServerResponse) {
    // It may have left while its key was looked up; then there is no event to come.
    if (response.destroyed) this.#leave();
    response.once('close', () => {
      if (!response.writableFinished) this.#leave();
    });
  }

  /** How long the body of its request is said to be; null: nothing says so. */
  get bodyBytes(): number | null {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.response.req.headers;
    return encoding === undefined ? Number(length ?? 0) : null;
  }

  /** Whether the caller has left before its answer was written. */
  get hasLeft(): boolean {
    return this.#reason !== null;
  }

  /** Looks whether the caller is still there; one that has closed its side has left, which the connection's own end says some turns of the loop later. */
  isThere(): boolean {
    if (!this.hasLeft && this.response.socket?.readableEnded !== false) this.#leave();
    return !this.hasLeft;
  }

  /** Calls this once when the caller leaves, at once if that has happened. One listener is enough, and cheaper than a signal. */
  onLeave(listener: () => void): void {
    if (this.hasLeft) listener();
    else this.#onLeave = listener;
  }

  /** Calls this once all bytes of the answer have left or the connection is gone, at once if that has happened. */
  onEnd(listener: () => void): void {
    if (this.response.closed) listener();
    else this.response.once('close', listener);
  }

  /** Aborted the moment that the caller leaves. */
  get left(): AbortSignal {
    if (this.#left === null) {
      this.#left = new AbortController();
      if (this.#reason !== null) this.#left.abort(this.#reason);
    }
    return this.#left.signal;
  }

  #leave(): void {
    this.#reason = new Error('The caller has left.');
    this.#left?.abort(this.#reason);
    this.#onLeave?.();
  }
}
