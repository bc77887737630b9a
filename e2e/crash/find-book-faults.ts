import type { DatabaseAddress } from '../../server/database/database-address.js';
import { millicreditsPerCredit } from '../../server/kernel/millicredits.js';
import { findLedgerViolations, type LedgerQueries } from '../../server/ledger/checks/check-ledger.js';
import { openLedgerSnapshot } from '../../server/ledger/checks/ledger-snapshot.js';
import type { LogLine } from '../support/start-stack.js';
import { type CrashSite, creditsEach } from './crash-site.js';
import type { SeenCall } from './make-call.js';

/** Who calls there, and what they saw. */
type SeenSite = Pick<CrashSite, 'customers' | 'seen'>;

/** What the books say of one call. */
export interface BookedCall {
  readonly accountId: string;
  readonly receiptMillicredits: number | null;
  /** All that the journal took for it. */
  readonly journalMillicredits: number;
}

/**
 * Compares the books, at rest, with what the callers saw: each as one sentence. Every answer that was seen whole is booked once
 * at its very price; what was refused is free; what was seen in part is booked once or not at all; nothing else is booked.
 */
export async function findBookFaults(address: DatabaseAddress, site: SeenSite): Promise<string[]> {
  const snapshot = await openLedgerSnapshot(address);
  try {
    const violations = await findLedgerViolations(snapshot);
    return [
      ...violations.map((violation) => JSON.stringify(violation)),
      ...(await findUnrestedWallets(snapshot)),
      ...(await compare(snapshot, site)),
    ];
  } finally {
    await snapshot.close();
  }
}

/** What servers have logged about the calls that these faults name. */
export function findLinesAbout(faults: readonly string[], log: readonly LogLine[]): readonly LogLine[] {
  const callIds = new Set(faults.flatMap((fault) => fault.match(/call_[0-9A-Z]{26}/g) ?? []));
  return log.filter(({ callId }) => callIds.has(String(callId)));
}

/** How many calls leases have let in. */
export async function countLeasedCalls(address: DatabaseAddress): Promise<number> {
  const snapshot = await openLedgerSnapshot(address);
  try {
    const [row] = await snapshot.query('SELECT COUNT(*) AS n FROM call_record WHERE lease IS NOT NULL');
    return Number(row?.n);
  } finally {
    await snapshot.close();
  }
}

/** How many holds are open, as of now: of calls, and of leases, which come back seconds after the last call. */
export async function countOpenHolds(address: DatabaseAddress, which: 'of calls' | 'all' = 'all'): Promise<number> {
  const ofCalls = which === 'all' ? '' : " AND key_id <> 'lease'";
  const snapshot = await openLedgerSnapshot(address);
  try {
    const [row] = await snapshot.query(`SELECT COUNT(*) AS n FROM ledger_hold WHERE state = 'open'${ofCalls}`);
    return Number(row?.n);
  } finally {
    await snapshot.close();
  }
}

async function findUnrestedWallets(snapshot: LedgerQueries): Promise<string[]> {
  const rows = await snapshot.query(
    `SELECT id FROM ledger_account WHERE kind = 'wallet' AND (debits_pending <> 0 OR debt <> 0 OR credits_posted < debits_posted)`,
  );
  return rows.map(({ id }) => `The wallet ${id} holds something, or less than nothing.`);
}

async function compare(snapshot: LedgerQueries, site: SeenSite): Promise<string[]> {
  const booked = await readBookedCalls(snapshot);
  const faults: string[] = [];
  const unexplained = new Map(booked);
  for (const { call } of site.seen) {
    if (call.callId === null) continue;
    const books = booked.get(call.callId);
    unexplained.delete(call.callId);
    const fault = findFault(call, books);
    if (fault !== null) faults.push(`${fault} ${JSON.stringify({ call, books })}`);
  }
  for (const { accountId } of site.customers) {
    // A call whose caller got no headers has no id to look for; but there cannot be more of them than were made.
    const nameless = site.seen.filter((seen) => seen.accountId === accountId && seen.call.callId === null).length;
    const found = [...unexplained.values()].filter((books) => books.accountId === accountId).length;
    if (found > nameless) faults.push(`${accountId} made ${nameless} calls without an answer and has ${found} booked.`);
    faults.push(...(await compareTotal(snapshot, accountId, booked)));
  }
  return faults;
}

function findFault(call: SeenCall, books: BookedCall | undefined): string | null {
  if (books && books.receiptMillicredits !== books.journalMillicredits) return 'Receipt and journal differ.';
  const charged = books?.journalMillicredits ?? 0;
  if (call.outcome === 'part' || charged === call.chargedMillicredits) return null;
  return `A call that was seen ${call.outcome} is booked at another price.`;
}

/** What was given minus all charges is the balance; the charges seen whole are among them, each once. */
async function compareTotal(
  snapshot: LedgerQueries,
  accountId: string,
  booked: ReadonlyMap<string, BookedCall>,
): Promise<string[]> {
  const [wallet] = await snapshot.query(
    `SELECT credits_posted - debits_posted AS posted FROM ledger_account WHERE id = '${accountId}'`,
  );
  const own = [...booked.values()].filter((books) => books.accountId === accountId);
  const expected =
    creditsEach * millicreditsPerCredit - own.reduce((sum, books) => sum + (books.receiptMillicredits ?? 0), 0);
  const posted = Number(wallet?.posted);
  return posted === expected ? [] : [`${accountId} has ${posted} instead of ${expected} millicredits.`];
}

/** What the books say, by the ids of the calls. */
export async function readBookedCalls(snapshot: LedgerQueries): Promise<Map<string, BookedCall>> {
  // Counted from the journal and from the receipts apart, so that one cannot cover for the other.
  const journal = await snapshot.query(
    `SELECT hold_id, wallet, SUM(amount) AS charged FROM ledger_transfer
     WHERE type IN ('settled', 'overage', 'expired', 'late') AND hold_id NOT LIKE 'lease%' GROUP BY hold_id, wallet`,
  );
  const receipts = await snapshot.query('SELECT call_id, account_id, charged_millicredits, lease FROM call_record');
  const booked = new Map<string, BookedCall>();
  for (const { hold_id, wallet, charged } of journal) {
    const journalMillicredits = Number(charged);
    booked.set(String(hold_id), { accountId: String(wallet), receiptMillicredits: null, journalMillicredits });
  }
  for (const { call_id, account_id, charged_millicredits, lease } of receipts) {
    const receiptMillicredits = Number(charged_millicredits);
    // The calls of a lease stand in the journal together; the invariants and `compareTotal` look at their sum.
    const inJournal = booked.get(String(call_id))?.journalMillicredits ?? 0;
    const journalMillicredits = lease === null ? inJournal : receiptMillicredits;
    booked.set(String(call_id), { accountId: String(account_id), receiptMillicredits, journalMillicredits });
  }
  return booked;
}
