import type { IdempotentAnswers, RetriedRequest } from '../idempotency/idempotent-answers.js';
import type { CallerPresence } from './caller-presence.js';

type Answers = Pick<IdempotentAnswers, 'offerForRetry' | 'keepForRetry' | 'withdrawForRetry'>;

/**
 * What becomes of a plain call without `Idempotency-Key` whose caller leaves: from that moment on its client's retry can wait
 * for the answer, and finds it once it is billed.
 */
export class RetryOffer {
  #offered: Promise<void> | null = null;
  #isKept = false;

  constructor(
    private readonly request: RetriedRequest,
    private readonly callId: string,
    caller: CallerPresence,
    private readonly answers: Answers,
  ) {
    caller.onLeave(() => {
      this.#offered = answers.offerForRetry(request, callId);
    });
  }

  /** Takes the billed answer; kept if its caller has left. */
  async keep(answer: string | null): Promise<void> {
    if (this.#offered === null || answer === null) return;
    await this.#offered;
    this.#isKept = true;
    await this.answers.keepForRetry(this.request, this.callId, answer);
  }

  /** The call has ended: nobody waits for it any more. */
  async close(): Promise<void> {
    if (this.#offered === null || this.#isKept) return;
    await this.#offered;
    await this.answers.withdrawForRetry(this.request, this.callId);
  }
}
