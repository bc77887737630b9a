import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { priceMultiplierMax, priceMultiplierMin } from '../kernel/token-price.js';
import { noteCatalogueChange } from './catalogue-store.js';
import { PriceGroupEntity } from './price-group.entity.js';
import { PricedAccountEntity } from './priced-account.entity.js';
import type { AlsoWrite } from './provider-changes.js';

export type PriceGroup = Readonly<PriceGroupEntity>;

export interface CountedPriceGroup extends PriceGroup {
  readonly accountCount: number;
}

/** What tells every instance of a change, and waits until each has taken it over. */
export interface PriceNews<Noted = unknown> {
  note(transaction: EntityManager, changed: { readonly accountId: string; readonly keyId: null }): Promise<Noted>;
  takenOver(noted: Noted): Promise<void>;
}

export interface PriceGroupsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly news: PriceNews;
  /** Whether no server of a release runs that takes receipts with a multiplier for forged. */
  readonly isUpgradeFinished: () => Promise<boolean>;
}

const groupsMax = 100;

/**
 * Groups of accounts and what they pay, in per mille of the list price. A change is answered once no instance lets a call in by what
 * stood before; running calls keep the price that they were admitted with.
 */
export class PriceGroups {
  constructor(private readonly parts: PriceGroupsParts) {}

  /** By their names. */
  async list(): Promise<readonly CountedPriceGroup[]> {
    const { reader } = this.parts.unitOfWork;
    const groups = await reader.find(PriceGroupEntity, { order: { name: 'ASC' } });
    const counted = groups.map(async (group) => ({
      ...group,
      accountCount: await reader.countBy(PricedAccountEntity, { groupId: group.id }),
    }));
    return Promise.all(counted);
  }

  /** The group that an account is in; null: none, it pays the list price. */
  async findOf(accountId: string): Promise<PriceGroup | null> {
    const { reader } = this.parts.unitOfWork;
    const priced = await reader.findOneBy(PricedAccountEntity, { accountId });
    return priced && reader.findOneBy(PriceGroupEntity, { id: priced.groupId });
  }

  /** @throws InvalidInputError for the name or the multiplier; AppError `conflict` for a name that is taken, or when there are 100. */
  async create(name: string, multiplier: number, also: AlsoWrite): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const group = { id: createId('priceGroup'), name: readName(name), multiplier: readMultiplier(multiplier) };
    await unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      if (await transaction.existsBy(PriceGroupEntity, { name: group.name }))
        throw new AppError('conflict', 'There is a price group of this name. Choose another, or set its multiplier.');
      if ((await transaction.count(PriceGroupEntity)) >= groupsMax)
        throw new AppError('conflict', `There are ${groupsMax} price groups already. Set one of them anew instead.`);
      await transaction.insert(PriceGroupEntity, { ...group, createdAtMs: clock.nowMs() });
      await also(transaction, group.name);
    });
  }

  /**
   * Has all accounts of a group pay another part of the list price.
   * @throws InvalidInputError for the multiplier; AppError `not_found`; `service_unavailable` when it is made, but not every instance has
   *   confirmed it.
   */
  async set(name: string, multiplier: number, also: AlsoWrite): Promise<void> {
    const changed = { multiplier: readMultiplier(multiplier) };
    await this.#change(async (transaction) => {
      const group = await getGroup(transaction, name);
      await transaction.update(PriceGroupEntity, { id: group.id }, changed);
      await also(transaction, group.name);
      return group.id;
    });
  }

  /**
   * Puts an account into a group, and so out of the one before. @param name null: into none, it pays the list price.
   * @throws AppError as `set`; `conflict` while a server of the release before may be running.
   */
  async assign(accountId: string, name: string | null, also: AlsoWrite): Promise<void> {
    if (name !== null && !(await this.parts.isUpgradeFinished())) throw upgradeNotFinished();
    await this.#change(async (transaction) => {
      const group = name === null ? null : await getGroup(transaction, name);
      await transaction.delete(PricedAccountEntity, { accountId });
      const sinceMs = this.parts.clock.nowMs();
      if (group) await transaction.insert(PricedAccountEntity, { accountId, groupId: group.id, sinceMs });
      await also(transaction, group?.name ?? 'none');
      return accountId;
    });
  }

  /** @param work Answers the account that pays another price now, or the group of such accounts. */
  async #change(work: (transaction: EntityManager) => Promise<string>): Promise<void> {
    const { news, unitOfWork } = this.parts;
    const noted = await unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      return news.note(transaction, { accountId: await work(transaction), keyId: null });
    });
    await news.takenOver(noted);
  }
}

async function getGroup(transaction: EntityManager, name: string): Promise<PriceGroupEntity> {
  const group = await transaction.findOneBy(PriceGroupEntity, { name });
  if (!group) throw new AppError('not_found', 'There is no price group of this name. List them, or create it first.');
  return group;
}

function readName(text: string): string {
  const name = text.trim();
  if (/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/.test(name)) return name;
  const words =
    'A name has 1 to 40 plain letters, digits, spaces, dots, hyphens or underscores, and begins with a letter or digit.';
  throw new InvalidInputError('name', words);
}

function readMultiplier(multiplier: number): number {
  const isRight = Number.isInteger(multiplier) && multiplier >= priceMultiplierMin && multiplier <= priceMultiplierMax;
  if (isRight) return multiplier;
  const words =
    'A multiplier is a whole number of per mille from 1 to 100000: 800 is 20 % off, 1000 the list price, 1250 a quarter more. Nothing is free: for free calls grant credits instead.';
  throw new InvalidInputError('multiplier', words);
}

function upgradeNotFinished(): AppError {
  return new AppError(
    'conflict',
    'A server of the previous release may still be running, and would take receipts at another price for forged. When the last of them has ended, run: npm run tollgate -- upgrade finished',
  );
}

/** Whether any account is in a price group. */
export function hasPricedAccounts(reader: EntityManager): Promise<boolean> {
  return reader.exists(PricedAccountEntity);
}
