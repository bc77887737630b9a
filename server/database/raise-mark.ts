import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';

interface RisingMark<Row> {
  /** The key of its row, which is made with the first mark. */
  readonly whose: FindOptionsWhere<Row>;
  /** The marks that are lower than the new one: those that meet any of these. */
  readonly lower: readonly FindOptionsWhere<Row>[];
  /** The new mark. */
  readonly mark: Partial<Row>;
}

/**
 * Raises a mark that only rises, in the caller's transaction: one that is as high stays.
 * @returns whether it rose. @throws a unique violation when somebody else sets the first mark at this moment.
 */
export async function raiseMark<Row extends ObjectLiteral>(
  transaction: EntityManager,
  table: EntityTarget<Row>,
  { whose, lower, mark }: RisingMark<Row>,
): Promise<boolean> {
  // One after the other: each by its key, so that no other row is locked.
  for (const bound of lower) {
    const { affected } = await transaction.update(table, { ...whose, ...bound }, mark);
    if (affected === 1) return true;
  }
  if (await transaction.existsBy(table, whose)) return false;
  await transaction.insert(table, { ...whose, ...mark } as Row);
  return true;
}
