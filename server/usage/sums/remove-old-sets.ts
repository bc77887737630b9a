import { In, LessThan } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsageSetEntity } from './usage-set.entity.js';
import { hourMs, removeSets, type UsageSetName } from './usage-sets.js';

const removedAtOnce = 20;
const leftoversAtOnce = 200;

/** Removes hours that no chart shows, and what is left of months whose receipts were removed: tags and end users go with them. */
export async function removeOldSets(
  unitOfWork: UnitOfWork,
  hoursBeforeMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const { reader } = unitOfWork;
  for (;;) {
    const where = { spanMs: hourMs, startMs: LessThan(hoursBeforeMs) };
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
