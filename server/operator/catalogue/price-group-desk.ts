import type { EntityManager } from 'typeorm';
import type { CountedPriceGroup, PriceGroup, PriceGroups } from '../../catalogue/price-groups.js';
import { AppError } from '../../kernel/app-error.js';
import type { OperatorAction } from '../operator-event.entity.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface PriceGroupDeskParts {
  readonly log: OperatorLog;
  readonly groups: PriceGroups;
  /** Whether there is such an account that is not deleted. */
  readonly hasAccount: (accountId: string) => Promise<boolean>;
}

/** What operators set of price groups. Each change stands in their log, in its transaction. */
export class PriceGroupDesk {
  constructor(private readonly parts: PriceGroupDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): PriceGroupDesk {
    return new PriceGroupDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  list(): Promise<readonly CountedPriceGroup[]> {
    return this.parts.groups.list();
  }

  /** null: the account pays the list price. */
  findOf(accountId: string): Promise<PriceGroup | null> {
    return this.parts.groups.findOf(accountId);
  }

  /** @throws as `PriceGroups.create`; InvalidInputError for the reason. */
  async create(name: string, multiplier: number, reason: string): Promise<void> {
    await this.parts.groups.create(name, multiplier, this.#writes('create_price_group', reason, multiplier));
  }

  /** @throws as `PriceGroups.set`; InvalidInputError for the reason. */
  async set(name: string, multiplier: number, reason: string): Promise<void> {
    await this.parts.groups.set(name, multiplier, this.#writes('set_price_group', reason, multiplier));
  }

  /** @param name null: into none. @throws as `PriceGroups.assign`; AppError `not_found`; InvalidInputError for the reason. */
  async assign(accountId: string, name: string | null, reason: string): Promise<void> {
    const words = requireReason(reason);
    if (!(await this.parts.hasAccount(accountId)))
      throw new AppError('not_found', 'There is no such account, or it is deleted. Its id begins with acct_.');
    await this.parts.groups.assign(accountId, name, (transaction, subject) =>
      this.parts.log.write(transaction, { action: 'assign_price_group', accountId, subject, reason: words }),
    );
  }

  // What it was set to stands beside the reason, since the next change would hide it.
  #writes(action: OperatorAction, reason: string, multiplier: number) {
    const words = `${multiplier} per mille: ${requireReason(reason)}`.slice(0, reasonLengthMax);
    return (transaction: EntityManager, subject: string) =>
      this.parts.log.write(transaction, { action, subject, reason: words });
  }
}

const reasonLengthMax = 191;
