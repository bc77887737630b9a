import { readSum, sumAsText } from '../../database/exact-sums.js';
/**
 * What moved the credits of all wallets in some stretch of time, in millicredits, each of them 0 or more. No bound of one wallet bounds a sum
 * over all of them, so these go as digits from the database to the answer, through no number.
 */
export interface JournalSums {
  /** Bought. */
  readonly sales: bigint;
  /** Given without an operator: gift codes, credits of sign-up. */
  readonly gifts: bigint;
  /** Given by operators. */
  readonly grants: bigint;
  readonly refunds: bigint;
  /** Refunds that failed, and so are the account's again. */
  readonly refundsReturned: bigint;
  readonly disputes: bigint;
  readonly disputesReturned: bigint;
  /** Corrections in favour of accounts. */
  readonly added: bigint;
  /** Taken back by operators. */
  readonly takenBack: bigint;
  /** Charged for use, when it was booked. */
  readonly charged: bigint;
  /** Cost of use that neither reservation nor balance covered. It moves no wallet. */
  readonly absorbed: bigint;
}

export type JournalKind = keyof JournalSums;

/** Which way each kind moves what all wallets have. */
export const effectOf = {
  sales: 1n,
  gifts: 1n,
  grants: 1n,
  refunds: -1n,
  refundsReturned: 1n,
  disputes: -1n,
  disputesReturned: 1n,
  added: 1n,
  takenBack: -1n,
  charged: -1n,
  absorbed: 0n,
} as const satisfies Record<JournalKind, -1n | 0n | 1n>;

const journalKinds = Object.keys(effectOf) as JournalKind[];

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
  .map((kind) => `${sumAsText(`CASE WHEN ${rowsOf[kind]} THEN amount ELSE 0 END`)} AS ${kind}`)
  .join(', ');

export const noSums: JournalSums = toSums({});

/** Reads the sums, as `sumAsText` writes them, out of a row of the database; what it lacks is 0. */
export function toSums(row: Readonly<Record<string, unknown>>): JournalSums {
  return Object.fromEntries(journalKinds.map((kind) => [kind, readSum(row[kind])])) as unknown as JournalSums;
}

export function addSums(one: JournalSums, other: JournalSums): JournalSums {
  return toSums(Object.fromEntries(journalKinds.map((kind) => [kind, one[kind] + other[kind]])));
}

/** By how much they changed what all wallets have together. */
export function netOf(sums: JournalSums): bigint {
  return journalKinds.reduce((net, kind) => net + effectOf[kind] * sums[kind], 0n);
}
