import { escape as quote } from 'mysql2';
import {
  type BatchChanges,
  callIdOf,
  changeableColumnsOf,
  columnsOf,
  type LedgerOperation,
  transferIdsOf,
  usageSums,
} from './ledger-rows.js';

/**
 * The reads of a batch, in one round trip and in the one lock order: wallets by ascending id first, so that two instances
 * never wait for each other; everything else is read under those locks.
 */
export function toReadStatements(operations: readonly LedgerOperation[]): string[] {
  const accountIds = new Set<string>();
  const callIds = new Set<string>();
  const settledCallIds = new Set<string>();
  const transferIds = new Set<string>();
  const keyIds = new Set<string>();
  for (const operation of operations) {
    const { kind, input } = operation;
    accountIds.add(input.accountId);
    for (const id of transferIdsOf(operation)) transferIds.add(id);
    const callId = callIdOf(operation);
    if (callId !== null) callIds.add(callId);
    if (kind === 'settle') settledCallIds.add(input.callId);
    if (kind === 'hold') keyIds.add(input.keyId);
  }
  return [
    'SELECT CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED) AS now_ms',
    `SELECT id, state, credits_posted, debits_posted, debits_pending, debt, seq FROM ledger_account WHERE id IN (${list(accountIds)}) AND kind = 'wallet' ORDER BY id FOR UPDATE`,
    `SELECT ${columnsOf.ledger_hold.join(', ')} FROM ledger_hold WHERE id IN (${list(callIds)})`,
    `SELECT ${columnsOf.call_record.join(', ')} FROM call_record WHERE call_id IN (${list(settledCallIds)})`,
    `SELECT id FROM ledger_transfer WHERE id IN (${list(transferIds)})`,
    `SELECT id FROM api_key WHERE id IN (${list(keyIds)}) AND revoked_at_ms IS NULL`,
  ];
}

/** The writes of a batch: one statement a table, absolute values only. */
export function toWriteStatements(changes: BatchChanges): string[] {
  return [
    ...updateById('ledger_account', 'id', changes.wallets),
    ...updateById('ledger_hold', 'id', changes.changedHolds),
    ...updateById('call_record', 'call_id', changes.changedCallRecords),
    ...insert('ledger_hold', changes.newHolds),
    ...insert('ledger_transfer', changes.newTransfers),
    ...insert('call_record', changes.newCallRecords),
    ...addUsage(changes.usageHours),
  ];
}

// An empty IN () is no SQL; the empty text is nobody's id.
function list(ids: ReadonlySet<string>): string {
  return ids.size === 0 ? "''" : [...ids].map((id) => quote(id)).join(', ');
}

function updateById(table: keyof typeof changeableColumnsOf, key: 'id' | 'call_id', rows: readonly object[]): string[] {
  if (rows.length === 0) return [];
  const values = rows as readonly Readonly<Record<string, string | number | null>>[];
  const assignments = changeableColumnsOf[table].map((column) => {
    const cases = values.map((row) => `WHEN ${quote(row[key])} THEN ${quote(row[column])}`);
    return `${column} = CASE ${key} ${cases.join(' ')} END`;
  });
  return [
    `UPDATE ${table} SET ${assignments.join(', ')} WHERE ${key} IN (${values.map((row) => quote(row[key])).join(', ')})`,
  ];
}

function insert<Table extends keyof typeof columnsOf>(table: Table, rows: readonly object[]): string[] {
  if (rows.length === 0) return [];
  const columns: readonly string[] = columnsOf[table];
  const values = rows.map(
    (row) => `(${columns.map((column) => quote((row as Record<string, string | number | null>)[column])).join(', ')})`,
  );
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}`];
}

// Rows of one account are only written under the lock of its wallet, so adding here cannot race.
function addUsage(rows: readonly object[]): string[] {
  const sums = usageSums.map((column) => `${column} = ${column} + VALUES(${column})`).join(', ');
  return insert('usage_hour', rows).map((statement) => `${statement} ON DUPLICATE KEY UPDATE ${sums}`);
}
