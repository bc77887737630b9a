import { AccountCache, type AccountCacheParts } from '../kernel/account-cache.js';
import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';
import { listPriceMultiplier } from '../kernel/token-price.js';
import type { PriceGroup } from './price-groups.js';

type PricedAs = Pick<PriceGroup, 'id' | 'multiplier'> | null;

export interface AccountPricesParts extends Omit<AccountCacheParts<PricedAs>, 'read' | 'shared'> {
  readonly findGroup: (accountId: string) => Promise<PricedAs>;
}

/** What each account pays, in per mille of the list price, cached. */
export class AccountPrices {
  readonly #cache: AccountCache<PricedAs>;

  constructor({ findGroup, ...parts }: AccountPricesParts) {
    const read = (accountId: string) =>
      findGroup(accountId).catch((cause: unknown) => {
        const message = 'Prices cannot be read right now; nothing was charged. Try again shortly.';
        throw new AppError('service_unavailable', message, { retryAfterMs: 2_000, cause });
      });
    const shared = {
      isId: (changedId: string) => isId('priceGroup', changedId),
      isOf: (group: PricedAs, changedId: string) => group?.id === changedId,
    };
    this.#cache = new AccountCache({ ...parts, read, shared });
  }

  /**
   * At once where it is cached, so that a call waits for nothing.
   * @throws AppError `service_unavailable` when the database does not answer: nobody is charged by a guess.
   */
  find(accountId: string): number | Promise<number> {
    const group = this.#cache.find(accountId);
    return group instanceof Promise ? group.then(multiplierOf) : multiplierOf(group);
  }
}

function multiplierOf(group: PricedAs): number {
  return group?.multiplier ?? listPriceMultiplier;
}
