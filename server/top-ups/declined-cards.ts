import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { leastIdAt, timeOfId } from '../kernel/ids.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';

/** Charges of saved cards that failed, of one account. */
export interface DeclinedCards {
  readonly accountId: string;
  readonly declined: number;
  /** How many cards it were. */
  readonly cards: number;
  readonly lastAtMs: number;
}

const chargesLookedAtMax = 10_000;
const accountsMax = 50;
const nobody: ReadonlySet<string> = new Set();

/**
 * Accounts whose saved cards were declined, the most often first, at most 50, out of the newest 10,000 automatic charges. What is declined
 * on the payment service's own page is told to nobody here. @param leftOut Accounts that are not told of.
 */
export async function listDeclinedCards(
  from: Pick<UnitOfWork, 'reader'>,
  sinceMs: number,
  leftOut: ReadonlySet<string> = nobody,
): Promise<readonly DeclinedCards[]> {
  const accounts = await sumDeclined(from, sinceMs);
  return accounts.filter(({ accountId }) => !leftOut.has(accountId)).slice(0, accountsMax);
}

/** The same of one account; null: none was declined. */
export async function findDeclinedCards(
  from: Pick<UnitOfWork, 'reader'>,
  accountId: string,
  sinceMs: number,
): Promise<DeclinedCards | null> {
  return (await sumDeclined(from, sinceMs)).find((account) => account.accountId === accountId) ?? null;
}

async function sumDeclined({ reader }: Pick<UnitOfWork, 'reader'>, sinceMs: number): Promise<readonly DeclinedCards[]> {
  const query = reader
    .getRepository(AutoTopUpChargeEntity)
    .createQueryBuilder('charge')
    .select('charge.purchase_id', 'purchaseId')
    .addSelect('charge.account_id', 'accountId')
    .addSelect('charge.card_id', 'cardId')
    .addSelect('charge.state', 'state')
    .where('charge.purchase_id >= :from', { from: leastIdAt('purchase', Math.max(0, sinceMs)) })
    .orderBy('charge.purchase_id', 'DESC')
    .limit(chargesLookedAtMax);
  const accounts = new Map<string, { declined: number; cards: Set<string>; lastAtMs: number }>();
  for (const { accountId, cardId, purchaseId, state } of await queryByIndex(query, 'PRIMARY')) {
    if (state !== 'failed') continue;
    const name = String(accountId);
    const found = accounts.get(name) ?? { declined: 0, cards: new Set(), lastAtMs: timeOfId(String(purchaseId)) };
    accounts.set(name, found);
    found.declined += 1;
    found.cards.add(String(cardId));
  }
  return [...accounts]
    .map(([accountId, { cards, ...rest }]) => ({ accountId, ...rest, cards: cards.size }))
    .sort((one, other) => other.declined - one.declined);
}
