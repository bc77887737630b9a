import type { EntityManager } from 'typeorm';
import { toUse } from './read-use.js';
import { compareSums, type Use } from './total-sum.js';

export interface LargestAccount {
  readonly accountId: string;
  /** What its month's sums say; null: there are none yet. */
  readonly summed: Use | null;
}

interface Wanted {
  readonly monthMs: number;
  readonly first: number;
  /** What each account was charged that is not in the sums of the month. */
  readonly charged: ReadonlyMap<string, bigint>;
  /** Sums that are read at once, and `first` at least. Left out: 500. */
  readonly perPage?: number | undefined;
}

interface Found extends LargestAccount {
  readonly total: bigint;
}

type Row = Readonly<Record<string, unknown>>;

const usualPerPage = 500;
const idsPerStatement = 500;

/**
 * The accounts that were charged most, without reading all: those with the largest sums, and of the others those alone that could come
 * among the first by what is not in their sums. However alike accounts are, it is one page of sums and those of recent accounts.
 * No account that is among the first is left out.
 */
export async function findLargest(
  transaction: EntityManager,
  { monthMs, first, charged, perPage = usualPerPage }: Wanted,
): Promise<readonly LargestAccount[]> {
  const toFound = ({ accountId, summed }: LargestAccount): Found => ({
    accountId,
    summed,
    total: (summed?.charged ?? 0n) + (charged.get(accountId) ?? 0n),
  });
  const pageLength = Math.max(first, perPage);
  const page = await readPage(transaction, monthMs, pageLength);
  const best = largestOf(page.map(toFound), first);
  const seen = new Set(page.map(({ accountId }) => accountId));
  // Whoever is not on the page has a sum that is no larger than the last one there, or none where the page is not full.
  const isFull = page.length === pageLength;
  const sumMax = isFull ? (page.at(-1)?.summed?.charged ?? 0n) : 0n;
  const least = best.length < first ? -1n : (best.at(-1)?.total ?? -1n);
  const others = [...charged].filter(([id, amount]) => !seen.has(id) && sumMax + amount > least).map(([id]) => id);
  const summed = await readSums(transaction, monthMs, isFull ? others : []);
  const found = others.map((accountId) => toFound({ accountId, summed: summed.get(accountId) ?? null }));
  return largestOf([...best, ...found], first);
}

function largestOf(found: readonly Found[], first: number): readonly Found[] {
  return found.toSorted((one, other) => compareSums(other.total, one.total)).slice(0, first);
}

const sumColumns = `account_id, calls, prompt_tokens AS promptTokens, completion_tokens AS completionTokens,
  charged_millicredits AS charged, absorbed_millicredits AS absorbed`;

/** By the index of the charge, the largest first. */
async function readPage(
  transaction: EntityManager,
  monthMs: number,
  length: number,
): Promise<readonly LargestAccount[]> {
  const index = transaction.connection.options.type === 'mysql' ? ' FORCE INDEX (ix_account_month_charged)' : '';
  const rows: readonly Row[] = await transaction.query(
    `SELECT ${sumColumns} FROM account_month${index}
     WHERE month_ms = ? ORDER BY charged_millicredits DESC, account_id DESC LIMIT ${length}`,
    [monthMs],
  );
  return rows.map((row) => ({ accountId: String(row.account_id), summed: toUse(row) }));
}

async function readSums(
  transaction: EntityManager,
  monthMs: number,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Use>> {
  const sums = new Map<string, Use>();
  for (let start = 0; start < accountIds.length; start += idsPerStatement) {
    const some = accountIds.slice(start, start + idsPerStatement);
    const rows: readonly Row[] = await transaction.query(
      `SELECT ${sumColumns} FROM account_month WHERE month_ms = ? AND account_id IN (${some.map(() => '?').join(', ')})`,
      [monthMs, ...some],
    );
    for (const row of rows) sums.set(String(row.account_id), toUse(row));
  }
  return sums;
}
