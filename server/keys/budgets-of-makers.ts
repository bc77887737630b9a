import { type EntityManager, type FindOptionsWhere, In, IsNull, Not } from 'typeorm';
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
 * Writes a person's budget onto every key that they have made, ended ones too, in the transaction of the caller, which has locked the
 * account's row and notes the change for every instance. No hold is judged by the budget before once this is committed.
 * @param budgetMillicredits For a month; null: none any more.
 */
export async function setBudgetOfMaker(
  transaction: EntityManager,
  { accountId, personId, budgetMillicredits }: MadeKeys & { readonly budgetMillicredits: number | null },
): Promise<void> {
  await lockWallet(transaction, accountId);
  const of: FindOptionsWhere<ApiKeyEntity>[] = [{ accountId, madeBy: personId }];
  if (personId === accountId) of.push({ accountId, madeBy: IsNull() });
  const ids = (await transaction.find(ApiKeyEntity, { where: of, select: { id: true } })).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += idsPerStatement) {
    const id = In(ids.slice(from, from + idsPerStatement));
    await transaction.update(ApiKeyEntity, { id }, { makerBudgetMillicredits: budgetMillicredits });
    await transaction.increment(ApiKeyEntity, { id }, 'revision', 1);
  }
}

/**
 * The budget that stands on the keys that a person has made, ended ones too: where they say different things, the least of them.
 * null: none of them has one.
 */
export async function findBudgetOfMaker(
  transaction: EntityManager,
  { accountId, personId }: MadeKeys,
): Promise<number | null> {
  const key = await transaction.findOne(ApiKeyEntity, {
    where: { accountId, madeBy: personId, makerBudgetMillicredits: Not(IsNull()) },
    order: { makerBudgetMillicredits: 'ASC' },
  });
  return key?.makerBudgetMillicredits ?? null;
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
