import type { UnitOfWork } from '../../database/unit-of-work.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import type { PackMemory } from '../sums/pack-memory.js';
import { dayMs } from '../sums/usage-sets.js';
import { addTo, noUse, type SumsSoFar, sumColumns, toUsageSums, type UsageSums } from '../sums/usage-sums.js';
import { findReadableFrom, type MarkedUseWanted, sumMarkedUse } from './marked-usage.js';
import { type BucketSpan, listStretches, placeOf } from './usage-buckets.js';

export type UsageGrouping = 'none' | UsageDimension;
/** What use can be divided by and narrowed to; a status is the outcome of a call. */
export type UsageDimension = 'model' | 'provider' | 'api_key' | 'tag' | 'end_user' | 'status';

export interface UsageQuestion extends BucketSpan {
  readonly accountId: string;
  /** What to divide by, each at most once; empty, or `none` alone: nothing. */
  readonly groupings: readonly UsageGrouping[];
  /** Only what has one of these values; a dimension that is left out has any. At most 100 values each. */
  readonly filter?: UsageFilter;
}

export type UsageFilter = Readonly<Partial<Record<UsageDimension, readonly string[]>>>;

export interface UsageReport {
  /** Every bucket of the time asked for, oldest first, those without use included. */
  readonly buckets: readonly { readonly startMs: number; readonly sums: UsageSums }[];
  /** The dearest first; one without values when nothing is grouped. */
  readonly groups: readonly UsageGroup[];
  readonly total: UsageSums;
}

/** What one group used in the whole time. */
export interface GroupTotal {
  /** What it was divided by, in the order asked for: the model, the provider, the id of the API key, the tag … */
  readonly values: Readonly<Partial<Record<UsageDimension, string>>>;
  readonly sums: UsageSums;
}

export interface UsageGroup extends GroupTotal {
  /** One for each bucket of the report, in its order. */
  readonly buckets: readonly UsageSums[];
}

/** What one group used in some stretch of time, which is in one bucket, as the database says it. */
interface ReadRow {
  /** When that begins. */
  readonly hourMs: number;
  /** In the order of the dimensions. */
  readonly values: readonly string[];
  readonly sums: UsageSums;
}

interface RowsWanted {
  readonly question: UsageQuestion;
  readonly dimensions: readonly UsageDimension[];
  /** Whether rows need not be told apart by time. */
  readonly isWhole: boolean;
  /** When the buckets begin, oldest first. */
  readonly starts: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
}

interface SummedGroup {
  readonly values: readonly string[];
  readonly sums: SumsSoFar;
  /** By the place of the bucket; those without use are not there. */
  readonly buckets: Map<number, SumsSoFar>;
}

// Each further dimension multiplies what is read and what is answered.
const rowsOfSeveralMax = 200_000;
// One dimension can have thousands of values, too: keys, or models.
const cellsMax = 100_000;
const receiptsMax = 100_000;
/** No value has this character: names, ids and marks are printable. */
const betweenValues = '\0';
/** Two values of a call are nearly as many as calls, so nothing is summed of them that would answer any time at once. */
const receiptsOfPairsMax = 7_500;
const columns: Readonly<Record<UsageDimension, string>> = {
  model: 'model',
  provider: 'provider',
  api_key: 'key_id',
  // Of receipts alone: the sums by the hour know none of these, and of the first two there may be as many as calls.
  tag: 'tag',
  end_user: 'end_user',
  status: 'outcome',
};
const dimensionsOfReceipts: readonly UsageDimension[] = ['tag', 'end_user', 'status'];

/**
 * Reports what an account has used, from the sums that the ledger keeps by the hour: the cost of a report does not grow with
 * the number of calls, and its total is what the ledger charged. What is asked by tag, end user or status is read from sums of whole
 * hours and days where those are kept, and summed from the receipts where not.
 */
export class UsageReporter {
  /** @param memory Of who asks several things about the same time, for no longer than that; left out: nothing is kept. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory?: PackMemory,
  ) {}

  /**
   * @throws InvalidInputError when the time is empty or makes more than 1,000 buckets; when `none` stands beside others; when
   *   its groups would have more than 100,000 buckets together; when a report by tag, end user or status would sum the receipts
   *   of more than 100,000 calls.
   */
  async report(question: UsageQuestion): Promise<UsageReport> {
    const { starts } = listStretches(question);
    const dimensions = listDimensions(question.groupings);
    const rows = await this.#read(question, dimensions, { isWhole: false });
    const { all, groups } = sumRows(rows, ({ hourMs }) => placeOf(starts, hourMs));
    if (groups.length * starts.length > cellsMax) throw tooLong();
    const listBuckets = ({ buckets }: SummedGroup) => starts.map((_, index) => buckets.get(index) ?? noUse);
    return {
      buckets: listBuckets(all).map((sums, index) => ({ startMs: starts[index] as number, sums })),
      groups: groups
        .sort((a, b) => b.sums.chargedMillicredits - a.sums.chargedMillicredits)
        .map((group) => ({
          values: nameValues(group, dimensions),
          sums: group.sums,
          buckets: listBuckets(group),
        })),
      total: all.sums,
    };
  }

  /**
   * The groups of a report without their buckets, in no order: of many groups it takes a fraction of the report's time.
   * @throws as `report`, but that there is no limit of groups by buckets.
   */
  async sumGroups(question: UsageQuestion): Promise<GroupTotal[]> {
    const dimensions = listDimensions(question.groupings);
    const groups = sumWhole(await this.#read(question, dimensions, { isWhole: true }));
    return groups.map((group) => ({ values: nameValues(group, dimensions), sums: group.sums }));
  }

  /** @param isWhole Whether rows need not be told apart by time. */
  #read(
    question: UsageQuestion,
    dimensions: readonly UsageDimension[],
    { isWhole }: Pick<RowsWanted, 'isWhole'>,
  ): Promise<ReadRow[]> {
    const { starts, endMs } = listStretches(question);
    const wanted = { question, dimensions, isWhole, starts, fromMs: starts[0] as number, toMs: endMs };
    return isOfReceipts(question, dimensions) ? this.#readReceipts(wanted) : this.#readHours(wanted);
  }

  async #readHours({ question, dimensions, isWhole, fromMs, toMs }: RowsWanted): Promise<ReadRow[]> {
    const { accountId, bucket, filter = {} } = question;
    const start = bucket === 'hour' ? 'u.hour_ms' : `u.hour_ms - u.hour_ms % ${dayMs}`;
    const query = this.unitOfWork.reader
      .createQueryBuilder()
      .from('usage_hour', 'u')
      .select(isWhole ? ':fromMs' : start, 'hourMs')
      .where('u.account_id = :accountId AND u.hour_ms >= :fromMs AND u.hour_ms < :toMs', {
        accountId,
        fromMs,
        toMs,
      });
    if (!isWhole) query.groupBy(start);
    for (const dimension of dimensions) {
      query.addSelect(`u.${columns[dimension]}`, dimension).addGroupBy(`u.${columns[dimension]}`);
    }
    for (const [dimension, column] of Object.entries(columns) as [UsageDimension, string][]) {
      const wanted = filter[dimension];
      if (wanted !== undefined) query.andWhere(`u.${column} IN (:...${dimension})`, { [dimension]: wanted });
    }
    for (const [name, source] of Object.entries(sumColumns)) query.addSelect(`SUM(u.${source})`, name);
    if (dimensions.length > 1) query.limit(rowsOfSeveralMax + 1);
    const rows = await query.getRawMany<Record<string, unknown>>();
    if (dimensions.length > 1 && rows.length > rowsOfSeveralMax) throw tooLong();
    return rows.map((row) => toReadRow(row, dimensions));
  }

  async #readReceipts(wanted: RowsWanted): Promise<ReadRow[]> {
    const marked = toMarkedUse(wanted);
    const rows = await sumMarkedUse(this.unitOfWork.reader, marked, this.memory);
    return rows.map((row) => toReadRow(row, marked.columns));
  }

  /**
   * From when on a report can be given without a refusal, of the time that is asked for: its beginning where it can be whole. Divided or
   * narrowed by tag and end user together it has the newest calls only, as many as are answered at once: 7,500 receipts, or what takes as long.
   * @param share The part of that which may be used, up to 1.
   */
  async findReadableFrom(question: UsageQuestion, share: number): Promise<number> {
    const dimensions = listDimensions(question.groupings);
    const { starts, endMs } = listStretches(question);
    const wanted = { question, dimensions, isWhole: false, starts, fromMs: starts[0] as number, toMs: endMs };
    if (!isOfReceipts(question, dimensions)) return wanted.fromMs;
    const needed = new Set<string>([...dimensions, ...Object.keys(question.filter ?? {})]);
    const callsMax = needed.has('tag') && needed.has('end_user') ? receiptsOfPairsMax * share : receiptsMax;
    return findReadableFrom(this.unitOfWork.reader, { ...toMarkedUse(wanted), callsMax }, this.memory);
  }
}

function toMarkedUse({ question, dimensions, isWhole, fromMs, toMs, ...all }: RowsWanted): MarkedUseWanted {
  const { accountId, bucket, filter = {} } = question;
  const starts = isWhole ? [fromMs] : all.starts;
  const named = Object.entries(filter).map(([dimension, values]) => [columns[dimension as UsageDimension], values]);
  return {
    ...{ accountId, fromMs, toMs, starts, areDays: isWhole || bucket !== 'hour', callsMax: receiptsMax },
    columns: dimensions.map((dimension) => columns[dimension]),
    filter: Object.fromEntries(named),
  };
}

/** Whether the sums that the ledger keeps by the hour do not know what is asked. */
function isOfReceipts({ filter }: UsageQuestion, dimensions: readonly UsageDimension[]): boolean {
  return dimensionsOfReceipts.some((dimension) => dimensions.includes(dimension) || filter?.[dimension] !== undefined);
}

function nameValues(
  { values }: Pick<SummedGroup, 'values'>,
  dimensions: readonly UsageDimension[],
): GroupTotal['values'] {
  return Object.fromEntries(dimensions.map((dimension, at) => [dimension, values[at]]));
}

function toReadRow(row: Readonly<Record<string, unknown>>, names: readonly string[]): ReadRow {
  return { hourMs: Number(row.hourMs), values: names.map((name) => String(row[name])), sums: toUsageSums(row) };
}

function listDimensions(groupings: readonly UsageGrouping[]): readonly UsageDimension[] {
  const dimensions = groupings.filter((grouping) => grouping !== 'none');
  if (dimensions.length > 0 && dimensions.length < groupings.length) {
    throw new InvalidInputError(
      'groupBy',
      '`NONE` divides by nothing, so it stands alone. Leave it out beside others.',
    );
  }
  return [...new Set(dimensions)];
}

function tooLong(): InvalidInputError {
  const words = 'Divided like this, the report is too long. Choose larger buckets, less time or a filter.';
  return new InvalidInputError('groupBy', words);
}

/** Once over all rows, of which a report of months by several dimensions has tens of thousands. */
function sumRows(rows: readonly ReadRow[], indexOf: (row: ReadRow) => number) {
  const all = newGroup([]);
  const groups = new Map<string, SummedGroup>();
  for (const row of rows) {
    const name = row.values.join(betweenValues);
    const group = groups.get(name) ?? newGroup(row.values);
    groups.set(name, group);
    const index = indexOf(row);
    for (const one of [all, group]) {
      addTo(one.sums, row.sums);
      const bucket = one.buckets.get(index) ?? { ...noUse };
      one.buckets.set(index, bucket);
      addTo(bucket, row.sums);
    }
  }
  return { all, groups: [...groups.values()] };
}

/** The groups alone: of thousands, their buckets would take most of the time. */
function sumWhole(rows: readonly ReadRow[]): Pick<SummedGroup, 'values' | 'sums'>[] {
  const groups = new Map<string, Pick<SummedGroup, 'values' | 'sums'>>();
  for (const { values, sums } of rows) {
    const name = values.join(betweenValues);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { values, sums: { ...sums } });
    else addTo(known.sums, sums);
  }
  return [...groups.values()];
}

function newGroup(values: readonly string[]): SummedGroup {
  return { values, sums: { ...noUse }, buckets: new Map() };
}
