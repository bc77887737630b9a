import type { ServerResponse } from 'node:http';

/** How long the provider's usage is waited for when the answer is whole and only its reader is gone. */
const usagePatienceMs = 1_000;

/** Whether a caller is still there, and when that has to end the call. The signals are made when they are first asked for. */
export class CallerPresence {
  #left: AbortController | null = null;
  #gaveUp: AbortController | null = null;
  #reason: Error | null = null;
  #hasGivenUp = false;
  #isAnswerWhole = false;
  #onLeave: (() => void) | null = null;

  constructor(response: ServerResponse) {
    response.once('close', () => {
      if (!response.writableFinished) this.#leave();
    });
  }

  /** Whether the caller has left before its answer was written. */
  get hasLeft(): boolean {
    return this.#reason !== null;
  }

  /** Calls this once when the caller leaves, at once if that has happened. One listener is enough, and cheaper than a signal. */
  onLeave(listener: () => void): void {
    if (this.hasLeft) listener();
    else this.#onLeave = listener;
  }

  /** Aborted the moment that the caller leaves. */
  get left(): AbortSignal {
    this.#left ??= abortedWhen(this.hasLeft, this.#reason);
    return this.#left.signal;
  }

  /**
   * Aborted when a stream is not worth going on with: the moment that its caller leaves; but where the last piece of the
   * answer has come already, a second later, since the provider's usage is then on its way.
   */
  get gaveUp(): AbortSignal {
    this.#gaveUp ??= abortedWhen(this.#hasGivenUp, this.#reason);
    return this.#gaveUp.signal;
  }

  /** Notes that the provider has written all of the answer; its usage may follow. */
  noteAnswerWhole(): void {
    this.#isAnswerWhole = true;
  }

  #leave(): void {
    this.#reason = new Error('The caller has left.');
    this.#left?.abort(this.#reason);
    this.#onLeave?.();
    if (this.#isAnswerWhole) setTimeout(() => this.#giveUp(), usagePatienceMs);
    else this.#giveUp();
  }

  #giveUp(): void {
    this.#hasGivenUp = true;
    this.#gaveUp?.abort(this.#reason);
  }
}

function abortedWhen(isAborted: boolean, reason: Error | null): AbortController {
  const controller = new AbortController();
  if (isAborted) controller.abort(reason);
  return controller;
}
