import { escape as quote } from 'mysql2';
import { type BatchChanges, columnsOf, type HoldRow, type LedgerOperation, type WalletRow } from './ledger-rows.js';

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
  for (const { kind, input } of operations) {
    accountIds.add(input.accountId);
    if (kind === 'grant') transferIds.add(input.transferId);
    else callIds.add(input.callId);
    if (kind === 'settle') settledCallIds.add(input.callId);
    if (kind === 'hold') keyIds.add(input.keyId);
  }
  return [
    'SELECT CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED) AS now_ms',
    `SELECT id, state, credits_posted, debits_posted, debits_pending, debt, seq FROM ledger_account WHERE id IN (${list(accountIds)}) AND kind = 'wallet' ORDER BY id FOR UPDATE`,
    `SELECT ${columnsOf.ledger_hold.join(', ')} FROM ledger_hold WHERE id IN (${list(callIds)})`,
    `SELECT call_id, charged_millicredits, absorbed_millicredits FROM call_record WHERE call_id IN (${list(settledCallIds)})`,
    `SELECT id FROM ledger_transfer WHERE id IN (${list(transferIds)})`,
    `SELECT id FROM api_key WHERE id IN (${list(keyIds)}) AND revoked_at_ms IS NULL`,
  ];
}

/** The writes of a batch: one statement a table, absolute values only. */
export function toWriteStatements(changes: BatchChanges): string[] {
  return [
    ...updateById(
      'ledger_account',
      ['credits_posted', 'debits_posted', 'debits_pending', 'debt', 'seq'],
      changes.wallets,
    ),
    ...updateById('ledger_hold', ['state', 'posted'], changes.resolvedHolds),
    ...insert('ledger_hold', changes.newHolds),
    ...insert('ledger_transfer', changes.newTransfers),
    ...insert('call_record', changes.newCallRecords),
  ];
}

// An empty IN () is no SQL; the empty text is nobody's id.
function list(ids: ReadonlySet<string>): string {
  return ids.size === 0 ? "''" : [...ids].map((id) => quote(id)).join(', ');
}

function updateById<Row extends WalletRow | HoldRow>(
  table: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string[] {
  if (rows.length === 0) return [];
  const assignments = columns.map((column) => {
    const cases = rows.map((row) => `WHEN ${quote(row.id)} THEN ${quote(row[column] as string | number)}`);
    return `${column} = CASE id ${cases.join(' ')} END`;
  });
  return [`UPDATE ${table} SET ${assignments.join(', ')} WHERE id IN (${list(new Set(rows.map((row) => row.id)))})`];
}

function insert<Table extends keyof typeof columnsOf>(table: Table, rows: readonly object[]): string[] {
  if (rows.length === 0) return [];
  const columns: readonly string[] = columnsOf[table];
  const values = rows.map(
    (row) => `(${columns.map((column) => quote((row as Record<string, string | number | null>)[column])).join(', ')})`,
  );
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}`];
}
