import { randomBytes } from 'node:crypto';
import { LessThanOrEqual } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { holdAccountRow } from '../../database/hold-account-row.js';
import { isStanding } from '../../database/time/is-due.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import type { CallReader, CallRecord } from './call-reader.js';
import { longestSharingMs } from './find-shared-calls.js';
import { ReceiptLinkEntity } from './receipt-link.entity.js';

/** How many links of an account may be open at once. */
export const receiptLinksMax = 100;
const dayMs = 86_400_000;
const tokenPattern = /^tgr_[\w-]{43}$/;

/** A link that was just made: the only time that its token is told. */
export interface NewReceiptLink {
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Shows receipts to whoever has a link, until it expires or its owner ends it. A token has 256 random bits, and only its hash is
 * stored; so it needs no secret that all instances would have to share, and can be taken back.
 */
export class ReceiptLinks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly calls: Pick<CallReader, 'findCall'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a link to the receipt of one of the account's finished calls.
   * @param days How long it holds: 1 to 90.
   * @throws AppError `not_found` for a call that is not the account's; `conflict` when 100 links are open.
   */
  async share(accountId: string, callId: string, days: number): Promise<NewReceiptLink> {
    if ((await this.calls.findCall(accountId, callId)) === null) {
      throw new AppError('not_found', 'There is no such call in your account, or not any more. Load the list again.', {
        param: 'callId',
      });
    }
    const token = `tgr_${randomBytes(32).toString('base64url')}`;
    const nowMs = this.clock.nowMs();
    const expiresAtMs = nowMs + days * dayMs;
    await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await holdAccountRow(transaction, accountId);
      await transaction.delete(ReceiptLinkEntity, { accountId, expiresAtMs: LessThanOrEqual(nowMs) });
      if ((await transaction.countBy(ReceiptLinkEntity, { accountId })) >= receiptLinksMax) {
        const words = `${receiptLinksMax} receipts are shared already. Stop sharing one, or wait until one expires.`;
        throw new AppError('conflict', words);
      }
      await transaction.insert(ReceiptLinkEntity, { tokenHash: hashText(token), accountId, callId, expiresAtMs });
      await noteEvent(transaction, { accountId, kind: 'receipt_shared', subjectId: callId });
    });
    return { token, expiresAtMs };
  }

  /** Ends every link to this receipt. @returns how many there were. */
  async stopSharing(accountId: string, callId: string): Promise<number> {
    return this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const { affected } = await transaction.delete(ReceiptLinkEntity, { accountId, callId });
      if (affected) await noteEvent(transaction, { accountId, kind: 'receipt_unshared', subjectId: callId });
      return affected ?? 0;
    });
  }

  /** The links of an account that still hold, without their tokens, which nobody knows; those that end first come first. */
  async listLinks(accountId: string): Promise<readonly Pick<ReceiptLinkEntity, 'callId' | 'expiresAtMs'>[]> {
    return this.unitOfWork.reader.find(ReceiptLinkEntity, {
      select: { callId: true, expiresAtMs: true },
      where: { accountId, expiresAtMs: isStanding(this.clock.nowMs(), longestSharingMs) },
      order: { expiresAtMs: 'ASC' },
    });
  }

  /** The receipt that a token shows, and until when. null: there is none, or it has expired. */
  async findShared(token: string): Promise<{ readonly call: CallRecord; readonly expiresAtMs: number } | null> {
    if (!tokenPattern.test(token)) return null;
    const wanted = { tokenHash: hashText(token), expiresAtMs: isStanding(this.clock.nowMs(), longestSharingMs) };
    const link = await this.unitOfWork.reader.findOneBy(ReceiptLinkEntity, wanted);
    const call = link && (await this.calls.findCall(link.accountId, link.callId));
    return call && { call, expiresAtMs: link.expiresAtMs };
  }
}
