import type { EntityManager } from 'typeorm';
import { toUse } from './read-use.js';
import type { Use } from './total-sum.js';

export interface LargestAccount {
  readonly accountId: string;
  /** What its month's sums say; null: there are none yet. */
  readonly summed: Use | null;
}

interface Wanted {
  readonly monthMs: number;
  readonly first: number;
  /** What each account was charged that is not in the sums of the month. */
  readonly charged: ReadonlyMap<string, number>;
}

interface Found extends LargestAccount {
  readonly total: number;
}

const pageLength = 500;

/**
 * The accounts that were charged most, without reading all: sums are read from the largest on, until nobody who was not read can be
 * among the first, whatever is added to theirs.
 */
export async function findLargest(
  transaction: EntityManager,
  { monthMs, first, charged }: Wanted,
): Promise<readonly LargestAccount[]> {
  const addedMax = [...charged.values()].reduce((most, amount) => Math.max(most, amount), 0);
  const seen = new Set<string>();
  let best: readonly Found[] = [];
  for (let last: Found | null = null; ; ) {
    const page = await readPage(transaction, monthMs, last);
    const found = page.map(({ accountId, summed }) => ({
      ...{ accountId, summed, total: (summed?.charged ?? 0) + (charged.get(accountId) ?? 0) },
    }));
    for (const { accountId } of page) seen.add(accountId);
    best = largestOf([...best, ...found], first);
    last = found.at(-1) ?? null;
    if (page.length < pageLength) break;
    const least = best.length < first ? null : best.at(-1);
    if (least && least.total >= (last?.summed?.charged ?? 0) + addedMax) return best;
  }
  const unsummed = [...charged].filter(([accountId]) => !seen.has(accountId));
  const others = unsummed.map(([accountId, total]) => ({ accountId, summed: null, total }));
  return largestOf([...best, ...others], first);
}

function largestOf(found: readonly Found[], first: number): readonly Found[] {
  return found.toSorted((one, other) => other.total - one.total).slice(0, first);
}

/** By the index of the charge, the largest first. */
async function readPage(
  transaction: EntityManager,
  monthMs: number,
  after: LargestAccount | null,
): Promise<readonly LargestAccount[]> {
  const index = transaction.connection.options.type === 'mysql' ? ' FORCE INDEX (ix_account_month_charged)' : '';
  const charged = after?.summed?.charged ?? 0;
  const beyond = after === null ? '' : 'AND charged_millicredits <= ? AND (charged_millicredits < ? OR account_id < ?)';
  const rows: readonly Readonly<Record<string, unknown>>[] = await transaction.query(
    `SELECT account_id, calls, prompt_tokens AS promptTokens, completion_tokens AS completionTokens,
       charged_millicredits AS charged, absorbed_millicredits AS absorbed FROM account_month${index}
     WHERE month_ms = ? ${beyond} ORDER BY charged_millicredits DESC, account_id DESC LIMIT ${pageLength}`,
    after === null ? [monthMs] : [monthMs, charged, charged, after.accountId],
  );
  return rows.map((row) => ({ accountId: String(row.account_id), summed: toUse(row) }));
}
