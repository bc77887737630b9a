import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  LessThanOrEqual,
  type ObjectLiteral,
} from 'typeorm';

const dayMs = 24 * 60 * 60_000;

/**
 * A time that has surely come, for deletes by age, which nobody takes back: a clock that was set forward by mistake is believed only where
 * a row is a day old by it.
 * @param column When a row was written. Milliseconds since 1970.
 * @returns the newest moment of the column that is a day old, or older; 0: there is none, and nothing is old.
 */
export async function findProvenMs<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  { column, nowMs, where }: { column: keyof Row & string; nowMs: number; where?: FindOptionsWhere<Row> },
): Promise<number> {
  const query = manager.createQueryBuilder(entity, 'one').select(`MAX(one.${column})`, 'provenMs');
  const isOld = { ...where, [column]: LessThanOrEqual(nowMs - dayMs) } as FindOptionsWhere<Row>;
  const found = await query.where(isOld).getRawOne<{ provenMs: number | string | null }>();
  return Number(found?.provenMs ?? 0);
}
