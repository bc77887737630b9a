import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import type { RefundOrders } from './refund-orders.js';

/** Looks each minute for refunds that a server which died, or a gateway that was away, has left undone. */
export class RefundSweep {
  readonly #job: RepeatedJob;

  constructor(refunds: Pick<RefundOrders, 'resume'>, logger: Logger) {
    this.#job = new RepeatedJob({
      run: () => refunds.resume(),
      intervalMs: 60_000,
      onFailure: (error) => logger.warn('refund_sweep_failed', { message: (error as Error).message }),
    });
  }

  start(): void {
    this.#job.startAfterInterval();
  }

  close(): Promise<void> {
    return this.#job.close();
  }
}
