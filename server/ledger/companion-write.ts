/** Stands among the values of a side write for what the wallet has once its operation is booked, in millicredits. */
export const balanceAfter: BalanceAfter = {};

/** An object, which no value is. */
type BalanceAfter = Readonly<Record<string, never>>;
type SqlValue = string | number | null;

/** A write in the transaction of an operation that may change any number of rows, none included. */
export interface SideWrite {
  readonly sql: string;
  readonly values: readonly (SqlValue | BalanceAfter)[];
}

/**
 * A change outside the ledger that must happen in the same transaction, such as marking a purchase paid. It has to change
 * exactly one row, or nothing at all is booked. Plain SQL that both databases read alike, with `?` for the values.
 */
export interface CompanionWrite {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Made behind it, one after the other: what follows from the balance that the operation leaves, of which nobody else can know before. */
  readonly also?: readonly SideWrite[];
}

/** A companion write that belongs to the operation at this place of the batch. */
export interface CompanionToRun {
  readonly operationIndex: number;
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Whether it may change any number of rows; else it must be one. */
  readonly isSide: boolean;
}

/** The writes of a companion, in their order, for the balance that its operation leaves; null: it leaves none, as a change of a state. */
export function listWrites(
  operationIndex: number,
  { sql, values, also = [] }: CompanionWrite,
  balanceMillicredits: number | null,
): CompanionToRun[] {
  // Values cross to the thread of SQLite as copies, so that it is told by being an object, and not by which.
  const fill = (value: SqlValue | BalanceAfter) => (isSqlValue(value) ? value : balanceMillicredits);
  const sides = also.map((side) => ({ operationIndex, sql: side.sql, values: side.values.map(fill), isSide: true }));
  return [{ operationIndex, sql, values, isSide: false }, ...sides];
}

function isSqlValue(value: SqlValue | BalanceAfter): value is SqlValue {
  return value === null || typeof value !== 'object';
}
