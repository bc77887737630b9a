import type { Logger } from '../kernel/logger.js';
import type { RefundOrders } from './refund-orders.js';

/** Looks each minute for refunds that a server which died, or a gateway that was away, has left undone. */
export class RefundSweep {
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();

  constructor(
    private readonly refunds: Pick<RefundOrders, 'resume'>,
    private readonly logger: Logger,
  ) {}

  start(intervalMs = 60_000): void {
    this.#timer = setTimeout(
      () => {
        this.#round = this.refunds.resume().catch((error: unknown) => {
          this.logger.warn('refund_sweep_failed', { message: (error as Error).message });
        });
        void this.#round.then(() => this.#timer && this.start(intervalMs));
      },
      intervalMs * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#round;
  }
}
