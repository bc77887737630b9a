import type { IdempotentAnswers, RetriedRequest } from '../../idempotency/idempotent-answers.js';
import type { CallerPresence } from './caller-presence.js';

type Answers = Pick<IdempotentAnswers, 'enterForRetry' | 'offerForRetry' | 'keepForRetry' | 'withdrawForRetry'>;

/**
 * What a retry may have of a plain call without `Idempotency-Key`. From the moment that its caller leaves, or that a retry comes to
 * this process, whichever is sooner, the retry can wait for the answer, and finds it once it is billed. A client that gave up
 * may seem to be there for long: a proxy on the way need not tell that it has left.
 */
export class RetryOffer {
  readonly #endJoining: () => void;
  #offered: Promise<void> | null = null;
  /** Billed, and not kept as long as its caller seems to get it. */
  #unkept: string | null = null;
  #isKept = false;
  #isClosed = false;

  constructor(
    private readonly request: RetriedRequest,
    private readonly callId: string,
    caller: CallerPresence,
    private readonly answers: Answers,
  ) {
    this.#endJoining = answers.enterForRetry(request, () => this.#offer());
    caller.onLeave(() => void this.#noteLeaving());
  }

  /** Takes the billed answer; kept if it was offered, or if its caller leaves before it is written. */
  async keep(answer: string | null): Promise<void> {
    this.#endJoining();
    if (answer === null) return;
    if (this.#offered === null) {
      this.#unkept = answer;
      return;
    }
    await this.#offered;
    await this.#keepNow(answer);
  }

  /** The call has ended: nobody waits for it any more. */
  async close(): Promise<void> {
    this.#endJoining();
    this.#isClosed = true;
    if (this.#offered === null || this.#isKept) return;
    await this.#offered;
    await this.answers.withdrawForRetry(this.request, this.callId);
  }

  // The news of it may come after the call has ended, with its answer on the way to nobody.
  async #noteLeaving(): Promise<void> {
    if (this.#unkept !== null) await this.#keepNow(this.#unkept);
    else if (!this.#isClosed) await this.#offer();
  }

  async #keepNow(answer: string): Promise<void> {
    this.#isKept = true;
    await this.answers.keepForRetry(this.request, this.callId, answer);
  }

  #offer(): Promise<void> {
    this.#offered ??= this.answers.offerForRetry(this.request, this.callId);
    return this.#offered;
  }
}
