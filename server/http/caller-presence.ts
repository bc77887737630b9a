import type { ServerResponse } from 'node:http';

/** How long the provider's usage is waited for when the answer is whole and only its reader is gone. */
const usagePatienceMs = 1_000;

/** Whether a caller is still there, and when that has to end the call. */
export class CallerPresence {
  readonly #left = new AbortController();
  readonly #gaveUp = new AbortController();
  #isAnswerWhole = false;

  constructor(response: ServerResponse) {
    response.once('close', () => {
      if (!response.writableFinished) this.#leave();
    });
  }

  /** Aborted the moment that the caller leaves. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /**
   * Aborted when a stream is not worth going on with: the moment that its caller leaves; but where the last piece of the
   * answer has come already, a second later, since the provider's usage is then on its way.
   */
  get gaveUp(): AbortSignal {
    return this.#gaveUp.signal;
  }

  /** Notes that the provider has written all of the answer; its usage may follow. */
  noteAnswerWhole(): void {
    this.#isAnswerWhole = true;
  }

  #leave(): void {
    const reason = new Error('The caller has left.');
    this.#left.abort(reason);
    if (this.#isAnswerWhole) setTimeout(() => this.#gaveUp.abort(reason), usagePatienceMs);
    else this.#gaveUp.abort(reason);
  }
}
