import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AccountCache, type AccountCacheParts } from '../kernel/account-cache.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { AccountLimitEntity } from './account-limit.entity.js';

/** Limits of an account in place of the server's; null: the server's. */
export interface OwnLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** Of each process, as the server's limit is. */
  readonly concurrentCalls: number | null;
  /** Keys in force at the same time. Those beyond a lowered limit go on. */
  readonly keysMax: number | null;
  /** Public names of the models that it may call; null: all. */
  readonly models: readonly string[] | null;
}

/** Tells every instance of a change, and waits until each has taken it over. */
export interface LimitNews<Noted = unknown> {
  note(transaction: EntityManager, changed: { readonly accountId: string; readonly keyId: null }): Promise<Noted>;
  takenOver(noted: Noted): Promise<void>;
}

export interface AccountLimitsParts extends Omit<AccountCacheParts<OwnLimits>, 'read' | 'shared'> {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly news: LimitNews;
}

/** An account that has none of its own. */
export const noOwnLimits: OwnLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentCalls: null,
  keysMax: null,
  models: null,
};

/** As many requests as the window in MySQL counts exactly. */
const limitsMax: Readonly<Record<Exclude<keyof OwnLimits, 'models'>, number>> = {
  requestsPerMinute: 5_000,
  tokensPerMinute: 1_000_000_000,
  concurrentCalls: 1_000,
  keysMax: 1_000,
};
const modelsMax = 100;

/** Limits of single accounts, cached. A change is answered once no instance uses what stood before. */
export class AccountLimits {
  readonly #cache: AccountCache<OwnLimits>;

  constructor(private readonly parts: AccountLimitsParts) {
    const read = (accountId: string) =>
      this.read(accountId).catch((cause: unknown) => {
        const message = 'The limits of your account cannot be read right now; nothing was charged. Try again shortly.';
        throw new AppError('service_unavailable', message, { retryAfterMs: 2_000, cause });
      });
    this.#cache = new AccountCache({ ...parts, read });
  }

  /**
   * At once where it is cached, so that a call waits for nothing.
   * @throws AppError `service_unavailable` when the database does not answer.
   */
  find(accountId: string): OwnLimits | Promise<OwnLimits> {
    return this.#cache.find(accountId);
  }

  /** As they stand in the database. */
  async read(accountId: string): Promise<OwnLimits> {
    const row = await this.parts.unitOfWork.reader.findOneBy(AccountLimitEntity, { accountId });
    if (row === null) return noOwnLimits;
    const { requestsPerMinute, tokensPerMinute, concurrentCalls, keysMax, models } = row;
    const listed = models === null ? null : (JSON.parse(models) as string[]);
    return { requestsPerMinute, tokensPerMinute, concurrentCalls, keysMax, models: listed };
  }

  /**
   * Sets all of them. @param also Runs in the transaction that writes it.
   * @throws InvalidInputError naming the limit; AppError `service_unavailable` when it is made, but not every instance has confirmed it.
   */
  async set(accountId: string, limits: OwnLimits, also: (transaction: EntityManager) => Promise<void>): Promise<void> {
    for (const name of Object.keys(limitsMax) as (keyof typeof limitsMax)[]) assertLimit(name, limits[name]);
    const models = limits.models && toList(limits.models);
    const { clock, news, unitOfWork } = this.parts;
    const isAny = Object.values(limits).some((limit) => limit !== null);
    const noted = await unitOfWork.transact(async (transaction) => {
      const row = { accountId, ...limits, models, sinceMs: clock.nowMs() };
      // One statement: of two that delete what is not there yet, each would wait for the other's insert.
      if (isAny) await transaction.upsert(AccountLimitEntity, row, ['accountId']);
      else await transaction.delete(AccountLimitEntity, { accountId });
      await also(transaction);
      return news.note(transaction, { accountId, keyId: null });
    });
    await news.takenOver(noted);
  }
}

function toList(models: readonly string[]): string {
  const named = [...new Set(models)];
  if (named.length >= 1 && named.length <= modelsMax) return JSON.stringify(named);
  throw new InvalidInputError(
    'models',
    `List 1 to ${modelsMax} models, or none at all for every model. To stop an account, freeze it.`,
  );
}

function assertLimit(name: keyof typeof limitsMax, limit: number | null): void {
  const max = limitsMax[name];
  if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= max)) return;
  throw new InvalidInputError(
    name,
    `A limit is a whole number from 1 to ${max}, or none for the server’s. To stop an account, freeze it.`,
  );
}
