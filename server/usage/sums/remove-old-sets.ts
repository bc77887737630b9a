import { And, In, LessThan, MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsagePartEntity } from './usage-part.entity.js';
import { UsageSetEntity } from './usage-set.entity.js';
import { dayMs, hourMs, removeSets, type UsageSetName } from './usage-sets.js';

const removedAtOnce = 20;
/** Once an hour each of them is looked at, and not all that is kept. What no server was there for stays until its hour goes. */
const soughtMs = 2 * dayMs;
const leftoversAtOnce = 200;

/** The hours before which go. */
interface OldHours {
  /** Of what charts by the hour alone read: the hours of both marks, and the rows that the release before reads. */
  readonly ofChartsMs: number;
  readonly allMs: number;
}

/** Removes hours that nobody reads, and what is left of months whose receipts were removed: tags and end users go with them. */
export async function removeOldSets(unitOfWork: UnitOfWork, before: OldHours, signal?: AbortSignal): Promise<void> {
  await removeRows(unitOfWork, before, signal);
  const { reader } = unitOfWork;
  for (;;) {
    const where = [
      { spanMs: hourMs, startMs: LessThan(before.allMs) },
      { spanMs: hourMs, startMs: soughtBefore(before), kind: 'both' as const },
    ];
    const hours: readonly UsageSetName[] = await reader.find(UsageSetEntity, { where, take: removedAtOnce });
    const sealed = await reader
      .createQueryBuilder(UsageSetEntity, 's')
      .innerJoin(
        'sealed_month',
        'm',
        'm.account_id = s.account_id AND s.start_ms >= m.month_ms AND s.start_ms < m.month_end_ms',
      )
      .limit(removedAtOnce)
      .getMany();
    const names = [...hours, ...sealed];
    if (names.length === 0 || signal?.aborted) return;
    await unitOfWork.transactForServer((transaction) => removeSets(transaction, names));
  }
}

/** Removes the rows of hours that are packed as well. */
async function removeRows(unitOfWork: UnitOfWork, before: OldHours, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const hours: readonly { id: string }[] = await unitOfWork.reader
      .createQueryBuilder(UsageSetEntity, 's')
      .select('s.id', 'id')
      .innerJoin(UsagePackEntity, 'k', 'k.set_id = s.id AND k.number = 0')
      .innerJoin(UsagePartEntity, 'p', 'p.set_id = s.id AND p.number = 0')
      .where({ spanMs: hourMs, startMs: soughtBefore(before) })
      .limit(removedAtOnce)
      .getRawMany();
    if (hours.length === 0 || signal?.aborted) return;
    const setId = In(hours.map(({ id }) => id));
    await unitOfWork.transactForServer((transaction) => transaction.delete(UsagePartEntity, { setId }));
  }
}

function soughtBefore({ ofChartsMs }: OldHours) {
  return And(MoreThanOrEqual(ofChartsMs - soughtMs), LessThan(ofChartsMs));
}

/** Removes packs of no set: a release that does not know them replaces a set without them. @returns of how many sets they were. */
export async function removeLeftoverPacks(unitOfWork: UnitOfWork, signal?: AbortSignal): Promise<number> {
  for (let removed = 0; ; ) {
    const rows: readonly { set_id: string }[] = await unitOfWork.reader.query(
      `SELECT DISTINCT set_id FROM usage_pack WHERE set_id NOT IN (SELECT id FROM usage_set) LIMIT ${leftoversAtOnce}`,
    );
    if (rows.length === 0 || signal?.aborted) return removed;
    const setId = In(rows.map(({ set_id }) => set_id));
    await unitOfWork.transactForServer((transaction) => transaction.delete(UsagePackEntity, { setId }));
    removed += rows.length;
  }
}
