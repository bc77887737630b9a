import { type EntityManager, type FindOptionsWhere, In, IsNull } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { lockWallet } from '../ledger/key-spend/forget-key-spend.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** The keys of an account that one person has made. */
export interface MadeKeys {
  readonly accountId: string;
  readonly personId: string;
}

/**
 * Writes a person's budget onto the keys that they have made, in the transaction of the caller, which has locked the account's row and
 * notes the change for every instance. No hold is judged by the budget before once this is committed. Of ended keys only the last one
 * that they made is written to, however many there are.
 * @param budgetMillicredits For a month; null: none any more.
 */
export async function setBudgetOfMaker(
  transaction: EntityManager,
  { accountId, personId, budgetMillicredits }: MadeKeys & { readonly budgetMillicredits: number | null },
): Promise<void> {
  await lockWallet(transaction, accountId);
  const ids = (await listTellingKeys(transaction, { accountId, personId })).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += idsPerStatement) {
    const id = In(ids.slice(from, from + idsPerStatement));
    await transaction.update(ApiKeyEntity, { id }, { makerBudgetMillicredits: budgetMillicredits });
    await transaction.increment(ApiKeyEntity, { id }, 'revision', 1);
  }
}

/**
 * The budget that stands on the keys that a person has made: on those in force and on the last one, also where that has ended. Where they
 * say different things, the least of them. null: none of them has one.
 */
export async function findBudgetOfMaker(transaction: EntityManager, of: MadeKeys): Promise<number | null> {
  const budgets = (await listTellingKeys(transaction, of)).flatMap(
    ({ makerBudgetMillicredits }) => makerBudgetMillicredits ?? [],
  );
  return budgets.length === 0 ? null : Math.min(...budgets);
}

/** Those that say the budget of their maker as it is: ended ones keep the budget of their time, but for the last one that was made. */
async function listTellingKeys(
  transaction: EntityManager,
  { accountId, personId }: MadeKeys,
): Promise<readonly Pick<ApiKeyEntity, 'id' | 'makerBudgetMillicredits'>[]> {
  const of: FindOptionsWhere<ApiKeyEntity>[] = [{ accountId, madeBy: personId }];
  if (personId === accountId) of.push({ accountId, madeBy: IsNull() });
  const select = { id: true, makerBudgetMillicredits: true } as const;
  const inForce = of.map((made) => ({ ...made, revokedAtMs: IsNull() }));
  const keys = await transaction.find(ApiKeyEntity, { where: inForce, select });
  const last = await transaction.findOne(ApiKeyEntity, { where: of, order: { id: 'DESC' }, select });
  return last === null || keys.some(({ id }) => id === last.id) ? keys : [...keys, last];
}

const idsPerStatement = 500;

/** Millicredits that the calls of this month were charged, by the person who made their key. Whoever has spent nothing is not among them. */
export function sumMonthByMaker(
  unitOfWork: Pick<UnitOfWork, 'reader'>,
  accountId: string,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  return new KeySpendReader(unitOfWork).sumMonthByMaker(accountId, nowMs);
}
