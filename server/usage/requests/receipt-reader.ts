import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { CallReader, CallRecord } from './call-reader.js';

/** The receipt of a call, with what was left on the account when it was booked. */
export interface CallReceipt extends CallRecord {
  /** Credits in minus credits used, right after this call; null when the call cost nothing. */
  readonly balanceAfterMillicredits: number | null;
}

/** Whose charges are summed: all of an account, or those of one of its keys. */
export interface ChargeOwner {
  readonly accountId: string;
  readonly keyId?: string;
}

/** Reads what calls have cost, as the ledger wrote it down. */
export class ReceiptReader {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly calls: Pick<CallReader, 'findCall' | 'findBalanceAfter'>,
  ) {}

  /** A foreign call answers as a missing one, with null; so does a call that is still running. */
  async findReceipt(accountId: string, callId: string): Promise<CallReceipt | null> {
    const call = await this.calls.findCall(accountId, callId);
    if (call === null) return null;
    return { ...call, balanceAfterMillicredits: await this.calls.findBalanceAfter(accountId, callId) };
  }

  /** Everything that was ever charged, in millicredits: from the hourly sums, so the cost does not grow with the calls. */
  async sumCharges({ accountId, keyId }: ChargeOwner): Promise<number> {
    const hours = this.unitOfWork.reader.getRepository<{
      chargedMillicredits: number;
      accountId: string;
      keyId: string;
    }>('usage_hour');
    const sum = await hours.sum('chargedMillicredits', keyId === undefined ? { accountId } : { accountId, keyId });
    return Number(sum ?? 0);
  }
}
