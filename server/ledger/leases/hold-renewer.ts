import type { Logger } from '../../kernel/logger.js';
import type { Ledger } from '../ledger.js';
import type { RenewInput } from '../ledger-types.js';

type Progress = Pick<RenewInput, 'promptTokens' | 'completionTokens'>;

interface RunningCall {
  readonly accountId: string;
  readonly findProgress: () => Progress;
}

/** Renews the holds of this process's running calls before they expire, all in one go every few seconds. */
export class HoldRenewer {
  readonly #running = new Map<string, RunningCall>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly ledger: Pick<Ledger, 'renewHold'>,
    private readonly logger: Logger,
    intervalMs = 10_000,
  ) {
    this.#timer = setInterval(() => void this.renewAll(), intervalMs);
    this.#timer.unref();
  }

  /**
   * Renews the hold of one call from now on.
   * @param findProgress What the call has used so far; asked at each renewal.
   * @returns the function that ends it.
   */
  track(callId: string, accountId: string, findProgress: () => Progress): () => void {
    this.#running.set(callId, { accountId, findProgress });
    return () => {
      this.#running.delete(callId);
    };
  }

  /** Renews every running call once. A renewal that fails is tried again with the next round; a hold outlives several. */
  async renewAll(): Promise<void> {
    const renewals = [...this.#running].map(async ([callId, { accountId, findProgress }]) => {
      const result = await this.ledger.renewHold({ callId, accountId, ...findProgress() });
      if (result.status === 'refused' && this.#running.has(callId)) {
        this.logger.warn('hold_found_expired', { callId, accountId });
        this.#running.delete(callId);
      }
    });
    const failed = (await Promise.allSettled(renewals)).filter(({ status }) => status === 'rejected');
    if (failed.length > 0) this.logger.warn('lease_renewals_failed', { calls: failed.length });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
