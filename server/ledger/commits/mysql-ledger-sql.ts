import { escape as quote } from 'mysql2';
import { identifyStatement } from '../../database/pool/known-database.js';
import { type SpendPeriod, spanAt } from '../../kernel/spend-period.js';
import type { KeySpendRow } from '../key-spend/key-spend-rows.js';
import type { BudgetedMember } from '../key-spend/member-spend-books.js';
import { memberSpendSql } from '../key-spend/member-spend-sql.js';
import type { MissingCounter } from '../key-spend/open-key-spend.js';
import { changeableColumnsOf, columnsOf, keyColumns, keySpendValues, usageSums } from '../tables/ledger-columns.js';
import {
  type BatchChanges,
  callIdOf,
  holdIdOf,
  keyOf,
  type LedgerOperation,
  leasedCallOf,
  transferIdsOf,
} from '../tables/ledger-rows.js';
import { summedHourColumns } from './sum-usage.js';

const nowMs = 'CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)';
/** What a batch needs beside its rows: the database's own clock, which hours of use and of the journal are summed, and which database it is. Each statement costs it as much as reading a row. */
const placeAndTime = `${nowMs} AS now_ms, ${summedHourColumns}, (${identifyStatement}) AS database_id`;
/** For a batch of which no wallet is known. */
export const placeAndTimeStatement = `SELECT ${placeAndTime}`;
const spendPeriods: readonly SpendPeriod[] = ['day', 'week', 'month'];
const counterColumns = columnsOf.key_spend.map((column) => `s.${column} AS s_${column}`).join(', ');

export type Read =
  | 'clock'
  | 'wallets'
  | 'leases'
  | 'holds'
  | 'counters'
  | 'transfers'
  | 'keys'
  | 'known'
  | 'callRecords';

/**
 * The reads of a batch, in one round trip and in the one lock order: wallets by ascending id first, so that two instances
 * never wait for each other; everything else is read under those locks. What no operation asks for is left out: reading the
 * columns of an empty answer costs as much as those of a full one.
 * @param waitsForWallets Without it a wallet that is locked is an error at once.
 */
export function toReadStatements(operations: readonly LedgerOperation[], waitsForWallets = true): Map<Read, string> {
  const accountIds = new Set<string>();
  const holdIds = new Set<string>();
  const transferIds = new Set<string>();
  const keyIds = new Set<string>();
  const periods = new Set<string>();
  const leasedCallIds = new Set<string>();
  const leasedKeyIds = new Set<string>();
  const leaseIds = new Set<string>();
  for (const operation of operations) {
    const { kind, input } = operation;
    accountIds.add(input.accountId);
    const leased = leasedCallOf(operation);
    if (leased) {
      leasedCallIds.add(leased.callId);
      leasedKeyIds.add(leased.keyId);
      leaseIds.add(leased.leaseId);
      continue;
    }
    // Those of a settlement are seldom asked for: `toReplayStatements`.
    if (kind !== 'settle') for (const id of transferIdsOf(operation)) transferIds.add(id);
    const holdId = holdIdOf(operation);
    if (holdId !== null) holdIds.add(holdId);
    const asked = keyOf(operation);
    if (!asked) continue;
    keyIds.add(asked.keyId);
    for (const period of spendPeriods) periods.add(spanAt(period, asked.atMs).id);
  }
  const reads = new Map<Read, string>([
    [
      'wallets',
      `SELECT id, state, frozen_for, credits_posted, debits_posted, debits_pending, debt, seq, ${placeAndTime} FROM ledger_account WHERE id IN (${list(accountIds)}) AND kind = 'wallet' ORDER BY id FOR UPDATE${waitsForWallets ? '' : ' NOWAIT'}`,
    ],
    [
      'leases',
      `SELECT ${columnsOf.wallet_lease.map((column) => `l.${column}`).join(', ')}, ${counterColumns} FROM wallet_lease l LEFT JOIN key_spend s ON s.key_id = l.key_id AND s.period = l.spend_period WHERE l.wallet IN (${list(accountIds)}) AND l.state IN ('open', 'recalled', 'draining')`,
    ],
  ]);
  if (leasedCallIds.size > 0) {
    const ids = list(leasedCallIds);
    // Hardly ever one of them, so this asks for nothing but their ids; and for leases of which receipts were removed.
    reads.set(
      'known',
      `SELECT id FROM ledger_hold WHERE id IN (${ids}) UNION ALL SELECT call_id FROM call_record WHERE call_id IN (${ids}) UNION ALL SELECT id FROM wallet_lease WHERE id IN (${list(leaseIds)}) AND sealed_calls > 0`,
    );
    reads.set('counters', findCounters(leasedKeyIds));
  }
  if (holdIds.size > 0) reads.set('holds', findHolds(holdIds));
  if (transferIds.size > 0) reads.set('transfers', findTransfers(transferIds));
  if (keyIds.size > 0) {
    reads.set(
      'keys',
      // A key without a limit has no period, so nothing is looked up for it.
      `SELECT ${keyColumns.map((column) => `k.${column}`).join(', ')}, ${counterColumns} FROM api_key k LEFT JOIN key_spend s ON s.key_id = CASE WHEN k.spend_period IS NULL THEN NULL ELSE k.id END AND s.period IN (${list(periods)}) WHERE k.id IN (${list(keyIds)})`,
    );
  }
  return reads;
}

/**
 * What is known of calls whose hold is not open: their receipts, whether a late settlement was booked, and, of those that a lease has let
 * in, the holds that they have got.
 */
export function toReplayStatements(operations: readonly LedgerOperation[]): Map<Read, string> {
  const callIds = new Set(operations.map(callIdOf).filter((id) => id !== null));
  const leasedIds = operations.flatMap((operation) => leasedCallOf(operation)?.callId ?? []);
  const reads = new Map<Read, string>([
    ['callRecords', `SELECT ${columnsOf.call_record.join(', ')} FROM call_record WHERE call_id IN (${list(callIds)})`],
    ['transfers', findTransfers(new Set(operations.flatMap(transferIdsOf)))],
  ]);
  if (leasedIds.length > 0) reads.set('holds', findHolds(new Set(leasedIds)));
  return reads;
}

function findHolds(ids: ReadonlySet<string>): string {
  const columns = columnsOf.ledger_hold.map((column) => `h.${column}`).join(', ');
  return `SELECT ${columns}, ${counterColumns} FROM ledger_hold h LEFT JOIN key_spend s ON s.key_id = h.key_id AND s.period = h.spend_period WHERE h.id IN (${list(ids)})`;
}

function findCounters(keyIds: ReadonlySet<string>): string {
  return `SELECT ${columnsOf.key_spend.join(', ')} FROM key_spend WHERE key_id IN (${list(keyIds)})`;
}

function findTransfers(ids: ReadonlySet<string>): string {
  return `SELECT id FROM ledger_transfer WHERE id IN (${list(ids)})`;
}

/** What a key has spent in a period so far, and its holds of that time that can still be charged. */
export function toCounterStatements({ key, accountId, span }: MissingCounter): string[] {
  const [account, keyId, from, to] = [accountId, key.id, span.startsAtMs, span.endsAtMs].map((value) => quote(value));
  return [
    `SELECT COALESCE(SUM(charged_millicredits), 0) AS spent FROM usage_hour WHERE account_id = ${account} AND hour_ms >= ${from} AND hour_ms < ${to} AND key_id = ${keyId}`,
    `SELECT ${columnsOf.ledger_hold.join(', ')} FROM ledger_hold WHERE wallet = ${account} AND state IN ('open', 'expired') AND key_id = ${keyId} AND started_at_ms >= ${from} AND started_at_ms < ${to}`,
  ];
}

/** Those of the batch's keys that a person has made, and what all that they have made have spent and reserved in the month. */
export function toMemberStatements({ accountId, personId, span, keyIds }: BudgetedMember): string[] {
  const place = { accountId, personId, from: span.startsAtMs, to: span.endsAtMs };
  const { made, spentOnServer, pending } = memberSpendSql({
    accountId: quote(place.accountId),
    personId: quote(place.personId),
    from: quote(place.from),
    to: quote(place.to),
    keyIds: `(${keyIds.map((id) => quote(id)).join(', ')})`,
  });
  return [made, spentOnServer, pending];
}

/** The counter that stands in the same row as a hold or a key; null: there is none. */
export function readCounter(row: Readonly<Record<string, unknown>>): KeySpendRow | null {
  if (row.s_key_id == null) return null;
  return Object.fromEntries(
    columnsOf.key_spend.map((column) => [column, row[`s_${column}`]]),
  ) as unknown as KeySpendRow;
}

/**
 * The writes of a batch: one statement a table, absolute values only. What changes of a row that is known to be there is written as
 * a new row that finds its id taken: shorter, for the server as for us, than an UPDATE that names each id once for each column.
 */
export function toWriteStatements(changes: BatchChanges): string[] {
  const wallets = changes.wallets.map((wallet) => ({ ...wallet, kind: 'wallet' }));
  return [
    ...upsert('ledger_account', wallets, setTo(changeableColumnsOf.ledger_account)),
    ...upsert('ledger_hold', changes.changedHolds, setTo(changeableColumnsOf.ledger_hold)),
    ...upsert('call_record', changes.changedCallRecords, setTo(changeableColumnsOf.call_record)),
    ...upsert('key_spend', changes.keySpends, setTo(keySpendValues)),
    ...insert('ledger_hold', changes.newHolds),
    ...insert('wallet_lease', changes.newLeases),
    ...upsert('wallet_lease', changes.changedLeases, setTo(changeableColumnsOf.wallet_lease)),
    ...insert('ledger_transfer', changes.newTransfers),
    ...insert('call_record', changes.newCallRecords),
    // Rows of one account are only written under the lock of its wallet, so adding here cannot race.
    ...upsert('usage_hour', changes.usageHours, addUsage),
    ...upsert('usage_late', changes.lateUsageHours, addUsage),
    ...(changes.sumAgainFromHourMs === null
      ? []
      : [`DELETE FROM ledger_hour WHERE hour_ms >= ${quote(changes.sumAgainFromHourMs)}`]),
  ];
}

// An empty IN () is no SQL; the empty text is nobody's id.
function list(ids: ReadonlySet<string>): string {
  return ids.size === 0 ? "''" : [...ids].map((id) => quote(id)).join(', ');
}

type Table = keyof typeof columnsWritten;

const columnsWritten = {
  ...columnsOf,
  usage_late: columnsOf.usage_hour,
  ledger_account: ['id', 'kind', ...changeableColumnsOf.ledger_account],
};

function insert(table: Table, rows: readonly object[]): string[] {
  if (rows.length === 0) return [];
  const columns: readonly string[] = columnsWritten[table];
  const values = rows.map(
    (row) => `(${columns.map((column) => quote((row as Record<string, string | number | null>)[column])).join(', ')})`,
  );
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}`];
}

const addUsage = usageSums.map((column) => `${column} = COALESCE(${column}, 0) + VALUES(${column})`).join(', ');

function setTo(columns: readonly string[]): string {
  return columns.map((column) => `${column} = VALUES(${column})`).join(', ');
}

function upsert(table: Table, rows: readonly object[], assignments: string): string[] {
  return insert(table, rows).map((statement) => `${statement} ON DUPLICATE KEY UPDATE ${assignments}`);
}
