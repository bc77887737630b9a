/** What moved the credits of all wallets in some stretch of time, in millicredits, each of them 0 or more. */
export interface JournalSums {
  /** Bought. */
  readonly sales: number;
  /** Given without an operator: gift codes, credits of sign-up. */
  readonly gifts: number;
  /** Given by operators. */
  readonly grants: number;
  readonly refunds: number;
  /** Refunds that failed, and so are the account's again. */
  readonly refundsReturned: number;
  readonly disputes: number;
  readonly disputesReturned: number;
  /** Corrections in favour of accounts. */
  readonly added: number;
  /** Taken back by operators. */
  readonly takenBack: number;
  /** Charged for use, when it was booked. */
  readonly charged: number;
  /** Cost of use that neither reservation nor balance covered. It moves no wallet. */
  readonly absorbed: number;
}

export type JournalKind = keyof JournalSums;

/** Which way each kind moves what all wallets have. */
export const effectOf = {
  sales: 1,
  gifts: 1,
  grants: 1,
  refunds: -1,
  refundsReturned: 1,
  disputes: -1,
  disputesReturned: 1,
  added: 1,
  takenBack: -1,
  charged: -1,
  absorbed: 0,
} as const satisfies Record<JournalKind, -1 | 0 | 1>;

export const journalKinds = Object.keys(effectOf) as JournalKind[];

/** Of which rows of the journal each kind is the sum. */
const rowsOf: Readonly<Record<JournalKind, string>> = {
  sales: `type = 'purchase'`,
  gifts: `type = 'grant' AND id NOT LIKE 'grant:operator:%'`,
  grants: `type = 'grant' AND id LIKE 'grant:operator:%'`,
  refunds: `type = 'refund'`,
  // A refund that failed is booked as a correction, known by its id.
  refundsReturned: `type = 'adjustment' AND credit_account = wallet AND id LIKE 'refund:%'`,
  disputes: `type = 'dispute'`,
  disputesReturned: `type = 'dispute_reversal'`,
  added: `type = 'adjustment' AND credit_account = wallet AND id NOT LIKE 'refund:%'`,
  takenBack: `type = 'adjustment' AND debit_account = wallet`,
  charged: `type IN ('settled', 'overage', 'expired', 'late')`,
  absorbed: `type = 'absorbed'`,
};

/** The columns of a statement over `ledger_transfer` that sums it by kind. */
export const journalSumColumns = journalKinds
  .map((kind) => `COALESCE(SUM(CASE WHEN ${rowsOf[kind]} THEN amount ELSE 0 END), 0) AS ${kind}`)
  .join(', ');

export const noSums: JournalSums = toSums({});

/** Reads the sums out of a row of the database; what it lacks is 0. */
export function toSums(row: Readonly<Record<string, unknown>>): JournalSums {
  return Object.fromEntries(journalKinds.map((kind) => [kind, Number(row[kind] ?? 0)])) as unknown as JournalSums;
}

export function addSums(one: JournalSums, other: JournalSums): JournalSums {
  return toSums(Object.fromEntries(journalKinds.map((kind) => [kind, one[kind] + other[kind]])));
}

/** By how much they changed what all wallets have together. */
export function netOf(sums: JournalSums): number {
  return journalKinds.reduce((net, kind) => net + effectOf[kind] * sums[kind], 0);
}
