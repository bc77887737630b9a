/** A sum in the words of a statement, as digits: the driver of SQLite would round what is no safe integer. 0 of no rows. */
export function sumAsText(expression: string): string {
  return `CAST(COALESCE(SUM(${expression}), 0) AS CHAR)`;
}

/** Digits out of a row of the database; nothing is 0. */
export function readSum(digits: unknown): bigint {
  return BigInt(String(digits ?? 0));
}
