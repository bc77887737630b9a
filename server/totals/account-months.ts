import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { groupBy } from '../kernel/group-by.js';
import type { CostBook } from './cost-book.js';
import { findLargest, type LargestAccount } from './largest-accounts.js';
import { forceTimeIndex, readUse, toUse, type UseOfRoute } from './read-use.js';
import { TotalSum, type UsageTotal } from './total-sum.js';
import { hourMs } from './totals-hours.js';

interface Month {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Mark {
  readonly hourMs: number;
  readonly accountId: string;
}

/** What is not in the sums of a month: its latest hours, and what was booked late. */
interface Recent {
  readonly month: Month;
  readonly mark: Mark;
  /** By account. */
  readonly uses: ReadonlyMap<string, readonly DatedUse[]>;
}

interface DatedUse extends UseOfRoute {
  /** The beginning of its span, all of which has the same costs. */
  readonly fromMs: number;
}

/** With more hours that are not summed, reading them all costs more than it is worth. */
const recentHoursMax = 6;
/** With more rows in them an answer would take too long: then those hours are left out, which is said. */
const usualRecentRowsMax = 5_000;

/** The largest accounts of a month. */
export interface AccountsOfMonth {
  readonly groups: readonly UsageTotal[];
  readonly otherGroups: number;
  /** null: all of it is counted; else use until this hour is, and of the hour itself that of some accounts may be. */
  readonly summedUntilMs: number | null;
}

/** The accounts of a month that were charged most, by sums and what is not in them yet. */
export class AccountMonthReader {
  /** @param recentRowsMax Of the hours that are not summed, for an answer that has them. @param accountsPerPage Sums that are read at once. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly recentRowsMax = usualRecentRowsMax,
    private readonly accountsPerPage?: number,
  ) {}

  /**
   * @param first How many to answer at most: 1 to 500.
   * @returns null while so much of the month is not summed that reading its hours is quicker.
   */
  async read(month: Month, costs: CostBook, first: number): Promise<AccountsOfMonth | null> {
    // The mark is held, so that nothing moves from what is not summed to what is while both are read.
    return this.unitOfWork.transactForServer(async (transaction) => {
      const mark = await holdMark(transaction);
      if (mark === null || (await countUnsummed(transaction, month, mark)) > recentHoursMax) return null;
      const middleMs = Math.min(Math.max(month.fromMs, mark.hourMs), month.toMs);
      const isLong = await isRecentUseLong(transaction, month, { mark, rowsMax: this.recentRowsMax });
      const known = isLong ? { fromMs: month.fromMs, toMs: middleMs } : month;
      const recent = { month: known, mark, uses: await readRecent(transaction, known, mark, costs) };
      const charged = new Map([...recent.uses].map(([id, uses]) => [id, sumCharged(uses)]));
      const largest = await findLargest(transaction, {
        monthMs: month.fromMs,
        first,
        charged,
        perPage: this.accountsPerPage,
      });
      const groups = await sumEach(transaction, largest, recent, costs);
      const otherGroups = (await countAccounts(transaction, known, mark)) - groups.length;
      return { groups, otherGroups, summedUntilMs: isLong ? middleMs : null };
    });
  }
}

async function holdMark(transaction: EntityManager): Promise<Mark | null> {
  const lock = transaction.connection.options.type === 'mysql' ? ' LOCK IN SHARE MODE' : '';
  const [row] = await transaction.query(`SELECT hour_ms, account_id FROM totals_mark WHERE name = 'usage'${lock}`);
  return row === undefined ? null : { hourMs: Number(row.hour_ms), accountId: String(row.account_id) };
}

/**
 * Whether the hours of a range that are not summed have more rows of use than this, and are few, so that an answer without them is of a
 * short while ago.
 */
export async function isRecentUseLong(
  reader: EntityManager,
  range: Month,
  {
    mark,
    rowsMax = usualRecentRowsMax,
  }: { readonly mark: Pick<Mark, 'hourMs'>; readonly rowsMax?: number | undefined },
): Promise<boolean> {
  const fromMs = Math.min(Math.max(range.fromMs, mark.hourMs), range.toMs);
  if (!(await hasMoreRows(reader, { fromMs, toMs: range.toMs }, rowsMax))) return false;
  return (await countUnsummed(reader, range, mark)) <= recentHoursMax;
}

/** Whether hours have more rows of use than this; counted no further, and in the index alone. */
export async function hasMoreRows(reader: EntityManager, { fromMs, toMs }: Month, max: number): Promise<boolean> {
  const [row] = await reader.query(
    `SELECT COUNT(*) AS found FROM (SELECT 1 AS one FROM usage_hour ${forceTimeIndex(reader, 'usage_hour')}
       WHERE hour_ms >= ? AND hour_ms < ? LIMIT ${max + 1}) AS part_found`,
    [fromMs, toMs],
  );
  return Number(row?.found) > max;
}

/** How many hours from the first one with use on are not summed. */
async function countUnsummed(
  reader: EntityManager,
  { fromMs, toMs }: Month,
  mark: Pick<Mark, 'hourMs'>,
): Promise<number> {
  const unsummed = [Math.max(fromMs, mark.hourMs), toMs];
  // Each by one step in the index, which SQLite does for one of them at a time.
  const of = (end: 'MIN' | 'MAX') => `(SELECT ${end}(hour_ms) FROM usage_hour WHERE hour_ms >= ? AND hour_ms < ?)`;
  const [row] = await reader.query(`SELECT ${of('MIN')} AS first_ms, ${of('MAX')} AS last_ms`, [
    ...unsummed,
    ...unsummed,
  ]);
  return row?.first_ms == null ? 0 : (Number(row.last_ms) - Number(row.first_ms)) / hourMs + 1;
}

async function readRecent(
  transaction: EntityManager,
  { fromMs, toMs }: Month,
  mark: Mark,
  costs: CostBook,
): Promise<Map<string, DatedUse[]>> {
  const middleMs = Math.min(Math.max(fromMs, mark.hourMs), toMs);
  const afterMs = Math.min(middleMs + hourMs, toMs);
  // Of the hour that is next, some accounts may be summed already.
  const isOfMark = middleMs === mark.hourMs;
  const isSummed = ({ accountId }: UseOfRoute) => isOfMark && mark.accountId !== '' && accountId <= mark.accountId;
  const uses: DatedUse[] = [];
  const add = async (table: 'usage_hour' | 'usage_late', span: Month, isMissing: (use: UseOfRoute) => boolean) => {
    for (const part of costs.divide(span, span.toMs - span.fromMs)) {
      for (const use of await readUse(transaction, table, part, ['account_id'])) {
        if (isMissing(use)) uses.push({ ...use, fromMs: part.fromMs });
      }
    }
  };
  await add('usage_late', { fromMs, toMs: middleMs }, () => true);
  await add('usage_late', { fromMs: middleMs, toMs: afterMs }, isSummed);
  await add('usage_hour', { fromMs: middleMs, toMs: afterMs }, (use) => !isSummed(use));
  await add('usage_hour', { fromMs: afterMs, toMs }, () => true);
  return groupBy(uses, ({ accountId }) => accountId);
}

async function sumEach(
  transaction: EntityManager,
  largest: readonly LargestAccount[],
  { month, uses }: Recent,
  costs: CostBook,
): Promise<readonly UsageTotal[]> {
  const sums = new Map(largest.map(({ accountId }) => [accountId, new TotalSum()]));
  for (const { accountId, summed } of largest) if (summed !== null) sums.get(accountId)?.addUse(summed);
  const ids = largest.map(({ accountId }) => accountId);
  if (ids.length > 0) {
    const parts: readonly Readonly<Record<string, unknown>>[] = await transaction.query(
      `SELECT account_id, model, provider, price_version, calls, prompt_tokens AS promptTokens,
         completion_tokens AS completionTokens FROM account_part WHERE month_ms = ? AND account_id IN (${ids.map(() => '?').join(', ')})`,
      [month.fromMs, ...ids],
    );
    for (const part of parts) {
      const period = costs.findOfVersion(Number(part.price_version));
      const route = { model: String(part.model), provider: String(part.provider) };
      sums.get(String(part.account_id))?.addCost({ ...toUse(part), ...route }, costs.find(period, route));
    }
  }
  for (const [accountId, sum] of sums) {
    for (const use of uses.get(accountId) ?? []) sum.add(use, costs.find(costs.findAt(use.fromMs), use));
  }
  return [...sums].map(([accountId, sum]) => sum.toTotal(accountId));
}

async function countAccounts(transaction: EntityManager, month: Month, mark: Mark): Promise<number> {
  const middleMs = Math.min(Math.max(month.fromMs, mark.hourMs), month.toMs);
  const byTime = (table: 'usage_hour' | 'usage_late') => forceTimeIndex(transaction, table);
  const [row] = await transaction.query(
    `SELECT (SELECT COUNT(*) FROM account_month WHERE month_ms = ?) AS summed, (SELECT COUNT(*) FROM (
         SELECT account_id FROM usage_hour ${byTime('usage_hour')} WHERE hour_ms >= ? AND hour_ms < ?
         UNION SELECT account_id FROM usage_late ${byTime('usage_late')} WHERE hour_ms >= ? AND hour_ms < ?
       ) part_recent WHERE NOT EXISTS (
         SELECT 1 FROM account_month m WHERE m.month_ms = ? AND m.account_id = part_recent.account_id)) AS others`,
    [month.fromMs, middleMs, month.toMs, month.fromMs, middleMs, month.fromMs],
  );
  return Number(row?.summed) + Number(row?.others);
}

function sumCharged(uses: readonly UseOfRoute[]): bigint {
  return uses.reduce((sum, { charged }) => sum + charged, 0n);
}
