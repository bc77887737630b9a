import type { SettlementDecisions } from '../../ledger/settlements/settlement-decisions.js';
import type { QuarantinedSettlement } from '../../ledger/settlements/settlement-quarantine.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface SettlementDeskParts {
  readonly log: OperatorLog;
  readonly decisions: Pick<SettlementDecisions, 'list' | 'get' | 'book' | 'dismiss'>;
}

/**
 * Settlements that the ledger refused, of the machine that this process runs on: they are files there, and other machines have theirs.
 * What is decided stands in the log before it is done, and in the file.
 */
export class SettlementDesk {
  constructor(private readonly parts: SettlementDeskParts) {}

  /** The same, whose decisions stand in the log under another name. */
  by(actor: string): SettlementDesk {
    return new SettlementDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** Those that nobody has decided about, the oldest first. */
  list(): Promise<readonly QuarantinedSettlement[]> {
    return this.parts.decisions.list();
  }

  /** @throws as `SettlementDecisions.book`; InvalidInputError for the reason. */
  async book(callId: string, reason: string): Promise<void> {
    const words = await this.#note('book_settlement', callId, reason);
    await this.parts.decisions.book(callId, words);
  }

  /** @throws as `SettlementDecisions.dismiss`; InvalidInputError for the reason. */
  async dismiss(callId: string, reason: string): Promise<void> {
    const words = await this.#note('dismiss_settlement', callId, reason);
    await this.parts.decisions.dismiss(callId, words);
  }

  async #note(action: 'book_settlement' | 'dismiss_settlement', callId: string, reason: string): Promise<string> {
    const words = requireReason(reason);
    const { input } = await this.parts.decisions.get(callId);
    await this.parts.log.note({ action, accountId: input.accountId, subject: input.callId, reason: words });
    return words;
  }
}
