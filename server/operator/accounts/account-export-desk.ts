import { isAged } from '../../database/time/has-come.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { operatorAccess } from '../operator-access.js';
import { OperatorEventEntity } from '../operator-event.entity.js';
import { type OperatorLog, requireReason } from '../operator-log.js';
import { actorOf, type OperatorCaller } from '../people/operator-sessions.js';

export interface AccountExportDeskParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly log: OperatorLog;
  /** The address that an account signs in with; null: there is no such account, or it is deleted. */
  readonly findEmail: (accountId: string) => Promise<string | null>;
}

/** For so long whoever asked for a file can fetch it. */
const fetchMsMax = 60_000;

/**
 * Everything that is known about an account, for operators: the file that its owner can download. What is in the log comes first; the
 * row of the log is what the file is fetched by, so there is no file without a row.
 */
export class AccountExportDesk {
  constructor(private readonly parts: AccountExportDeskParts) {}

  /** The same desk, whose changes stand in the log under another name. */
  by(actor: string): AccountExportDesk {
    return new AccountExportDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** Writes down that a file is taken. @returns the id of the row. @throws AppError `not_found`; InvalidInputError for the reason. */
  async begin(accountId: string, reason: string): Promise<string> {
    const words = requireReason(reason);
    if ((await this.parts.findEmail(accountId)) === null) {
      throw new AppError('not_found', 'There is no such account, or it is deleted.');
    }
    return this.parts.log.note({ action: 'export_account', accountId, reason: words });
  }

  /**
   * Whose file an operator has asked for in the last minute.
   * @param eventId As `begin` gave it.
   * @throws AppError `forbidden` for a role that may not; `not_found` for what another one has asked for, or nobody, or too long ago.
   */
  async getAccountId(eventId: string, operator: OperatorCaller): Promise<string> {
    const { roles } = operatorAccess.exportAccount ?? { roles: [] };
    if (roles === 'anybody' || !roles.includes(operator.role)) {
      throw new AppError('forbidden', `Your role, ${operator.role}, may not do this.`);
    }
    const { clock, unitOfWork } = this.parts;
    const event = await unitOfWork.reader.findOneBy(OperatorEventEntity, { id: eventId, action: 'export_account' });
    const isTheirs = event !== null && event.actor === actorOf(operator);
    if (isTheirs && !isAged(event.atMs, clock.nowMs(), fetchMsMax)) return event.accountId;
    throw new AppError('not_found', 'There is no such file any more: it can be fetched for a minute. Export it again.');
  }
}
