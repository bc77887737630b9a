import type { LastAsker } from '../../idempotency/last-asker.js';
import type { RetriedAnswers, RetriedRequest } from '../../idempotency/retried-answers.js';
import { toKeptText, type WholeAnswer } from '../../idempotency/whole-answer.js';
import type { CallerPresence } from './caller-presence.js';

type Answers = Pick<RetriedAnswers, 'enter' | 'offer' | 'keep' | 'withdraw'>;

/**
 * What a retry may have of a plain call without `Idempotency-Key`. From the moment that its caller leaves, or that a retry comes to
 * this process, whichever is sooner, the retry can wait for the answer, and finds it once it is billed. A client that gave up
 * may seem to be there for long: a proxy on the way need not tell that it has left.
 */
export class RetryOffer {
  readonly #endJoining: () => void;
  #offered: Promise<void> | null = null;
  /** Who has left this call, or joined it first. */
  #asker: LastAsker;
  /** Billed, and not kept as long as its caller seems to get it; its text is null where that is too large. */
  #unkept: { readonly text: string | null } | null = null;
  #isKept = false;
  #isClosed = false;

  constructor(
    private readonly request: RetriedRequest,
    private readonly callId: string,
    caller: CallerPresence,
    private readonly answers: Answers,
  ) {
    const { retryCount } = request;
    this.#asker = { retryCount, hasLeft: true };
    const call = { callId, retryCount, offer: (asker: LastAsker) => this.#offer(asker) };
    this.#endJoining = answers.enter(request, call);
    caller.onLeave(() => void this.#noteLeaving());
  }

  /**
   * Takes the billed answer, or null where there is no text of it; kept if it was offered, or if its caller leaves before it is written.
   * @returns null: it is done, as for nearly every call.
   */
  keep(answer: WholeAnswer | null): Promise<void> | null {
    this.#endJoining();
    if (this.#offered !== null) return this.#offered.then(() => this.#keepNow(answer));
    this.#unkept = { text: answer === null ? null : toKeptText(answer) };
    return null;
  }

  /** The call has ended: nobody waits for it any more. @returns as `keep`. */
  close(): Promise<void> | null {
    this.#endJoining();
    this.#isClosed = true;
    if (this.#offered === null || this.#isKept) return null;
    return this.#offered.then(() => this.answers.withdraw(this.request, this.callId));
  }

  // The news of it may come after the call has ended, with its answer on the way to nobody.
  async #noteLeaving(): Promise<void> {
    if (this.#unkept !== null) await this.#keepNow(this.#unkept.text);
    else if (!this.#isClosed) await this.#offer(this.#asker);
  }

  async #keepNow(answer: WholeAnswer | null): Promise<void> {
    this.#isKept = true;
    await this.answers.keep(this.request, { callId: this.callId, asker: this.#asker }, answer);
  }

  #offer(asker: LastAsker): Promise<void> {
    this.#endJoining();
    if (this.#offered === null) {
      this.#asker = asker;
      this.#offered = this.answers.offer(this.request, { callId: this.callId, asker });
    }
    return this.#offered;
  }
}
