import type { ReceiptRetention, RetentionStanding } from '../../ledger/receipts/receipt-retention.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

/** Something else that is stored of accounts and their calls, for a time that nobody chooses here. */
export interface KeptData {
  readonly what: string;
  /** null: for ever. */
  readonly days: number | null;
  /** What else is to be known of it. */
  readonly words: string;
}

export interface RetentionDeskParts {
  readonly log: OperatorLog;
  readonly retention: Pick<ReceiptRetention, 'findStanding' | 'choose'>;
  /** When the oldest receipt that there is was begun; null: there is none. */
  readonly findOldestReceiptMs: () => Promise<number | null>;
  /** Whether receipts are written to files before they are removed. */
  readonly isExported: boolean;
  readonly others: readonly KeptData[];
}

/** For how long data is kept, and receipts from now on. Each change stands in the log, in its transaction. */
export class RetentionDesk {
  constructor(private readonly parts: RetentionDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): RetentionDesk {
    return new RetentionDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  get isExported(): boolean {
    return this.parts.isExported;
  }

  get others(): readonly KeptData[] {
    return this.parts.others;
  }

  findStanding(): Promise<RetentionStanding> {
    return this.parts.retention.findStanding();
  }

  findOldestReceiptMs(): Promise<number | null> {
    return this.parts.findOldestReceiptMs();
  }

  /** Chooses for how many days receipts are kept; null: for ever. @throws as `ReceiptRetention.choose`; InvalidInputError for the reason. */
  async choose(days: number | null, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { retention, log } = this.parts;
    const subject = days === null ? 'for ever' : `${days} days`;
    await retention.choose(days, { reason: words, createdBy: log.actor }, (transaction) =>
      log.write(transaction, { action: 'set_receipt_retention', subject, reason: words }),
    );
  }
}
