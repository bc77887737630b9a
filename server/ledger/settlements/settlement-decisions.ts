import { AppError } from '../../kernel/app-error.js';
import type { Ledger } from '../ledger.js';
import { type QuarantinedSettlement, SettlementQuarantine } from './settlement-quarantine.js';

/** What an operator decides about settlements that the ledger refused and that stand on this machine's disk, whichever of its processes kept them. */
export class SettlementDecisions {
  readonly #quarantine: SettlementQuarantine;

  constructor(
    spoolFolder: string,
    private readonly ledger: Pick<Ledger, 'bookAgain'>,
  ) {
    this.#quarantine = new SettlementQuarantine(spoolFolder);
  }

  /** Those that nobody has decided about, the oldest first. */
  list(): Promise<readonly QuarantinedSettlement[]> {
    return this.#quarantine.list();
  }

  /** @throws AppError `not_found` for a call that is not in this machine's quarantine. */
  async get(callId: string): Promise<QuarantinedSettlement> {
    const settlement = await this.#quarantine.find(callId);
    if (settlement !== null) return settlement;
    const words = `There is no settlement of ${callId} in the quarantine of this machine: see settlements list.`;
    throw new AppError('not_found', words);
  }

  /**
   * Books one now that what stood in its way is gone; its record stays, with the words.
   * @throws as `get`; AppError `conflict` when the ledger refuses it again, `service_unavailable` when the database does not take it now.
   */
  async book(callId: string, reason: string): Promise<void> {
    const settlement = await this.get(callId);
    const result = await this.ledger.bookAgain(settlement.input);
    if (result.status !== 'settled') {
      const why = 'reason' in result ? result.reason : result.status;
      throw new AppError('conflict', `The ledger refuses ${callId} again (${why}); it stays in quarantine.`);
    }
    await this.#quarantine.end(settlement, 'booked', reason);
  }

  /** Charges nothing for one; its record stays, with the words. @throws as `get`. */
  async dismiss(callId: string, reason: string): Promise<void> {
    await this.#quarantine.end(await this.get(callId), 'dismissed', reason);
  }
}
