import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { packParts } from './packed-parts.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsageSetEntity } from './usage-set.entity.js';
import { columnsOfKind, holdSets, insertPacks, readParts, removeSets, type UsageSetName } from './usage-sets.js';

const setsAtOnce = 20;

/**
 * Packs some of the sets that a release wrote which did not, the newest first.
 * @returns whether there may be more.
 */
export async function packSets(
  unitOfWork: UnitOfWork,
  span: Pick<UsageSetName, 'spanMs'> & { readonly fromMs: number },
): Promise<boolean> {
  const sets: readonly UsageSetEntity[] = await unitOfWork.reader
    .createQueryBuilder(UsageSetEntity, 's')
    .leftJoin(UsagePackEntity, 'p', 'p.set_id = s.id AND p.number = 0')
    .where('s.span_ms = :spanMs AND s.start_ms >= :fromMs AND p.set_id IS NULL', span)
    .orderBy('s.startMs', 'DESC')
    .limit(setsAtOnce)
    .getMany();
  for (const set of sets) await unitOfWork.transactForServer((transaction) => packSet(transaction, set));
  return sets.length === setsAtOnce;
}

// Whoever sums the set again, or packs it, too, is waited for, and then nothing is left to do.
async function packSet(transaction: EntityManager, set: UsageSetEntity): Promise<void> {
  await holdSets(transaction);
  const { accountId, kind, spanMs, startMs, id } = set;
  const now = await transaction.findOneBy(UsageSetEntity, { accountId, kind, spanMs, startMs });
  if (now?.id !== id || (await transaction.existsBy(UsagePackEntity, { setId: id }))) return;
  const packs = packParts(await readParts(transaction, set), columnsOfKind[kind]);
  // A set of no parts would be found again and again.
  if (packs.length === 0) await removeSets(transaction, [set]);
  else await insertPacks(transaction, id, packs);
}
