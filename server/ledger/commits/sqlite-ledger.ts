import type BetterSqlite3 from 'better-sqlite3';
import { type Clock, systemClock } from '../../kernel/clock.js';
import { spanAt } from '../../kernel/spend-period.js';
import type { CompanionToRun } from '../companion-write.js';
import { type KeyRow, type KeySpendRow, keySpendName } from '../key-spend/key-spend-rows.js';
import { listBudgetedMembers, type MemberSpendRow, toMemberSpend } from '../key-spend/member-spend-books.js';
import { memberSpendSql } from '../key-spend/member-spend-sql.js';
import { addCounter, listMissingCounters, type MissingCounter, type ReadSoFar } from '../key-spend/open-key-spend.js';
import type { LeasedCall } from '../leases/lease-types.js';
import { changeableColumnsOf, columnsOf, keyColumns, keySpendValues, usageSums } from '../tables/ledger-columns.js';
import {
  type BatchChanges,
  type BatchSnapshot,
  type CallRecordRow,
  type HoldRow,
  holdIdOf,
  keyOf,
  type LeaseRow,
  type LedgerOperation,
  transferIdsOf,
  type WalletRow,
} from '../tables/ledger-rows.js';
import { decideBatch, type LeaseTimes } from './decide-batch.js';
import { BatchFailure, type BatchOutcome } from './ledger-store.js';
import { summedHourColumns } from './sum-usage.js';

type ReadOfWallets = Pick<ReadSoFar, 'leases' | 'keySpends'> & { readonly wallets: Map<string, WalletRow> };

/** Commits batches on one synchronous SQLite connection, each in a transaction that holds the write lock from its start. */
export class SqliteLedger {
  readonly #statements;

  constructor(
    private readonly database: BetterSqlite3.Database,
    private readonly times: LeaseTimes,
    private readonly clock: Clock = systemClock,
  ) {
    this.#statements = prepareStatements(database);
  }

  /** @throws BatchFailure; any other error means that this connection cannot be used again. */
  commitBatch(operations: readonly LedgerOperation[]): BatchOutcome {
    this.#begin();
    let isCommitSent = false;
    try {
      const snapshot = this.#readSnapshot(operations);
      const { results, changes, companions, openLeases, keyRooms } = decideBatch(operations, snapshot, this.times);
      this.#write(changes);
      const failed = this.#runCompanions(companions);
      if (failed !== null) {
        this.database.exec('ROLLBACK');
        return { status: 'companion_changed_nothing', operationIndex: failed };
      }
      isCommitSent = true;
      this.database.exec('COMMIT');
      return { status: 'committed', results, openLeases, keyRooms };
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw new BatchFailure(isCommitSent && !provesNothingCommitted(error) ? 'in_doubt' : 'undone', error);
    }
  }

  #begin(): void {
    try {
      this.database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      throw new BatchFailure('not_begun', error);
    }
  }

  #readSnapshot(operations: readonly LedgerOperation[]): BatchSnapshot {
    const wallets = new Map<string, WalletRow>();
    const holds = new Map<string, HoldRow>();
    const leases = new Map<string, LeaseRow>();
    const callRecords = new Map<string, CallRecordRow>();
    const bookedTransferIds = new Set<string>();
    const keys = new Map<string, KeyRow>();
    const keySpends = new Map<string, KeySpendRow>();
    const sealedLeaseIds = new Set<string>();
    for (const operation of operations) {
      this.#readWallet(operation.input.accountId, { wallets, leases, keySpends });
      const holdId = holdIdOf(operation);
      if (holdId !== null) this.#readInto(holds, holdId, this.#statements.findHold);
      const hold = holdId === null ? undefined : holds.get(holdId);
      if (hold?.spend_period != null) this.#readCounterInto(keySpends, hold.key_id, hold.spend_period);
      this.#readKeyInto(keys, keySpends, operation);
      // An open hold has neither a receipt nor a late settlement, and most settlements find theirs open.
      if (operation.kind === 'settle' && hold?.state === 'open') continue;
      const lease = operation.kind === 'settle' ? operation.input.lease : undefined;
      if (lease) this.#readCountersInto(keySpends, lease);
      if (lease && this.#statements.findSealedLease.get(lease.leaseId)) sealedLeaseIds.add(lease.leaseId);
      // Of a call that a lease has let in, and that never got a hold, the receipt alone tells.
      const isOfLease = hold === undefined && lease !== undefined;
      for (const transferId of isOfLease ? [] : transferIdsOf(operation)) {
        if (this.#statements.findTransfer.get(transferId)) bookedTransferIds.add(transferId);
      }
      if (operation.kind === 'settle' || operation.kind === 'promote' || operation.kind === 'waive')
        this.#readInto(callRecords, operation.input.callId, this.#statements.findCallRecord);
    }
    // Only this host writes to the file, so the host's clock is the database's clock.
    const nowMs = this.clock.nowMs();
    const summed = this.#statements.findSummedHours.get() as Record<string, number>;
    const newIds = { newlyCountedHoldIds: new Set<string>(), newlyCountedLeaseIds: new Set<string>() };
    const counters = { keys, keySpends, newCounterNames: new Set<string>(), ...newIds };
    const memberSpends = this.#readMemberSpends(listBudgetedMembers(operations, { keys, holds, leases }));
    const { summed_hour_ms: summedHourMs = null, summed_journal_hour_ms: summedJournalHourMs = null } = summed;
    const times = { nowMs, summedHourMs, summedJournalHourMs, sealedLeaseIds };
    const snapshot = { ...times, wallets, holds, leases, callRecords, bookedTransferIds, memberSpends, ...counters };
    for (const missing of listMissingCounters(operations, snapshot)) this.#addCounter(missing, snapshot);
    return snapshot;
  }

  #readMemberSpends(members: ReturnType<typeof listBudgetedMembers>): Map<string, MemberSpendRow> {
    const rows = new Map<string, MemberSpendRow>();
    for (const [name, member] of members) {
      const { accountId, personId, span } = member;
      const place = { accountId, personId, from: span.startsAtMs, to: span.endsAtMs };
      const batch = { accountId, personId, keyIds: JSON.stringify(member.keyIds) };
      const keyIds = this.#statements.listMadeKeys.all(batch).map((row) => (row as { id: string }).id);
      const { spent } = this.#statements.sumMadeSpent.get(place) as { spent: number };
      const { pending } = this.#statements.sumMadePending.get(place) as { pending: number };
      rows.set(name, toMemberSpend(member, { keyIds, spent, pending }));
    }
    return rows;
  }

  #addCounter(missing: MissingCounter, read: ReadSoFar): void {
    const { key, accountId, span } = missing;
    const place = { accountId, keyId: key.id, from: span.startsAtMs, to: span.endsAtMs };
    const { spent } = this.#statements.sumSpent.get(place) as { spent: number };
    addCounter(missing, { spent, holds: this.#statements.listUncounted.all(place) as HoldRow[] }, read);
  }

  #readWallet(id: string, { wallets, leases, keySpends }: ReadOfWallets): void {
    if (wallets.has(id)) return;
    this.#readInto(wallets, id, this.#statements.findWallet);
    for (const lease of this.#statements.listLeases.all(id) as LeaseRow[]) {
      leases.set(lease.id, lease);
      const { key_id, spend_period } = lease;
      if (key_id !== null && spend_period !== null) this.#readCounterInto(keySpends, key_id, spend_period);
    }
  }

  // Of a call without a hold nobody has written down where it counts.
  #readCountersInto(counters: Map<string, KeySpendRow>, { keyId, facts: { startedAtMs } }: LeasedCall): void {
    for (const row of this.#statements.listCounters.all(keyId, startedAtMs, startedAtMs) as KeySpendRow[]) {
      const name = keySpendName(keyId, row.period);
      if (!counters.has(name)) counters.set(name, row);
    }
  }

  #readKeyInto(keys: Map<string, KeyRow>, counters: Map<string, KeySpendRow>, operation: LedgerOperation): void {
    const asked = keyOf(operation);
    if (!asked) return;
    this.#readInto(keys, asked.keyId, this.#statements.findKey);
    const period = keys.get(asked.keyId)?.spend_period;
    if (period) this.#readCounterInto(counters, asked.keyId, spanAt(period, asked.atMs).id);
  }

  #readCounterInto(counters: Map<string, KeySpendRow>, keyId: string, period: string): void {
    const name = keySpendName(keyId, period);
    if (counters.has(name)) return;
    const row = this.#statements.findKeySpend.get(keyId, period) as KeySpendRow | undefined;
    if (row) counters.set(name, row);
  }

  #readInto<Row>(rows: Map<string, Row>, id: string, statement: BetterSqlite3.Statement): void {
    if (rows.has(id)) return;
    const row = statement.get(id) as Row | undefined;
    if (row) rows.set(id, row);
  }

  #write(changes: BatchChanges): void {
    const {
      putKeySpend,
      updateWallet,
      updateHold,
      updateCallRecord,
      insertHold,
      insertLease,
      updateLease,
      insertTransfer,
      insertCallRecord,
      addUsage,
      addLateUsage,
      removeJournalHours,
    } = this.#statements;
    for (const wallet of changes.wallets) updateWallet.run(wallet);
    for (const counter of changes.keySpends) putKeySpend.run(counter);
    for (const hold of changes.newHolds) insertHold.run(hold);
    for (const hold of changes.changedHolds) updateHold.run(hold);
    for (const lease of changes.newLeases) insertLease.run(lease);
    for (const lease of changes.changedLeases) updateLease.run(lease);
    for (const transfer of changes.newTransfers) insertTransfer.run(transfer);
    for (const record of changes.newCallRecords) insertCallRecord.run(record);
    for (const record of changes.changedCallRecords) updateCallRecord.run(record);
    for (const hour of changes.usageHours) addUsage.run(hour);
    for (const hour of changes.lateUsageHours) addLateUsage.run(hour);
    if (changes.sumAgainFromHourMs !== null) removeJournalHours.run(changes.sumAgainFromHourMs);
  }

  /** @returns the index of the operation whose companion did not change exactly one row, or null. */
  #runCompanions(companions: readonly CompanionToRun[]): number | null {
    for (const { operationIndex, sql, values, isSide } of companions) {
      if (this.database.prepare(sql).run(...values).changes !== 1 && !isSide) return operationIndex;
    }
    return null;
  }
}

/**
 * What COMMIT says when the last page of the transaction, which makes it one, is not in SQLite's log. Not its failed sync
 * (SQLITE_IOERR_FSYNC): SQLite takes the transaction back then, but whoever opens the file after a crash finds it whole in the
 * log, and committed. https://www.sqlite.org/fileformat2.html#walcksm
 */
const nothingCommitted = /^SQLITE_(BUSY|CONSTRAINT|FULL|IOERR_WRITE$|READONLY)/;

function provesNothingCommitted(error: unknown): boolean {
  return nothingCommitted.test(String((error as { code?: unknown } | null)?.code));
}

function prepareStatements(database: BetterSqlite3.Database) {
  const insert = (table: keyof typeof columnsOf) => {
    const columns = columnsOf[table];
    return database.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
    );
  };
  const update = (table: keyof typeof changeableColumnsOf, id: string) => {
    const assignments = changeableColumnsOf[table].map((column) => `${column} = @${column}`);
    return database.prepare(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ${id} = @${id}`);
  };
  return {
    findWallet: database.prepare(
      "SELECT id, state, frozen_for, credits_posted, debits_posted, debits_pending, debt, seq FROM ledger_account WHERE id = ? AND kind = 'wallet'",
    ),
    findHold: database.prepare(`SELECT ${columnsOf.ledger_hold.join(', ')} FROM ledger_hold WHERE id = ?`),
    findCallRecord: database.prepare(`SELECT ${columnsOf.call_record.join(', ')} FROM call_record WHERE call_id = ?`),
    findTransfer: database.prepare('SELECT 1 FROM ledger_transfer WHERE id = ?'),
    findKey: database.prepare(`SELECT ${keyColumns.join(', ')} FROM api_key WHERE id = ?`),
    ...prepareCounterStatements(database),
    ...prepareMemberStatements(database),
    updateWallet: update('ledger_account', 'id'),
    updateHold: update('ledger_hold', 'id'),
    updateCallRecord: update('call_record', 'call_id'),
    insertHold: insert('ledger_hold'),
    insertLease: insert('wallet_lease'),
    updateLease: update('wallet_lease', 'id'),
    listLeases: database.prepare(
      `SELECT ${columnsOf.wallet_lease.join(', ')} FROM wallet_lease WHERE wallet = ? AND state IN ('open', 'recalled', 'draining')`,
    ),
    findSealedLease: database.prepare('SELECT 1 FROM wallet_lease WHERE id = ? AND sealed_calls > 0'),
    insertTransfer: insert('ledger_transfer'),
    insertCallRecord: insert('call_record'),
    findSummedHours: database.prepare(`SELECT ${summedHourColumns}`),
    addUsage: prepareAddUsage(database, 'usage_hour'),
    addLateUsage: prepareAddUsage(database, 'usage_late'),
    removeJournalHours: database.prepare('DELETE FROM ledger_hour WHERE hour_ms >= ?'),
  };
}

function prepareCounterStatements(database: BetterSqlite3.Database) {
  const columns = columnsOf.key_spend;
  const values = columns.map((column) => `@${column}`).join(', ');
  const assignments = keySpendValues.map((column) => `${column} = excluded.${column}`).join(', ');
  return {
    findKeySpend: database.prepare(`SELECT ${columns.join(', ')} FROM key_spend WHERE key_id = ? AND period = ?`),
    listCounters: database.prepare(
      `SELECT ${columns.join(', ')} FROM key_spend WHERE key_id = ? AND starts_at_ms <= ? AND ends_at_ms > ?`,
    ),
    putKeySpend: database.prepare(
      `INSERT INTO key_spend (${columns.join(', ')}) VALUES (${values}) ON CONFLICT (key_id, period) DO UPDATE SET ${assignments}`,
    ),
    sumSpent: database.prepare(
      `SELECT COALESCE(SUM(charged_millicredits), 0) AS spent FROM usage_hour WHERE account_id = @accountId AND key_id = @keyId AND hour_ms >= @from AND hour_ms < @to`,
    ),
    listUncounted: database.prepare(
      `SELECT ${columnsOf.ledger_hold.join(', ')} FROM ledger_hold WHERE wallet = @accountId AND state IN ('open', 'expired') AND key_id = @keyId AND started_at_ms >= @from AND started_at_ms < @to`,
    ),
  };
}

function prepareMemberStatements(database: BetterSqlite3.Database) {
  const keyIds = '(SELECT value FROM json_each(@keyIds))';
  const sql = memberSpendSql({ accountId: '@accountId', personId: '@personId', from: '@from', to: '@to', keyIds });
  return {
    listMadeKeys: database.prepare(sql.made),
    sumMadeSpent: database.prepare(sql.spentInFile),
    sumMadePending: database.prepare(sql.pending),
  };
}

function prepareAddUsage(database: BetterSqlite3.Database, table: 'usage_hour' | 'usage_late') {
  const columns = columnsOf.usage_hour;
  const values = columns.map((column) => `@${column}`).join(', ');
  const sums = usageSums.map((column) => `${column} = COALESCE(${column}, 0) + excluded.${column}`).join(', ');
  return database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values}) ON CONFLICT (account_id, hour_ms, key_id, model, provider) DO UPDATE SET ${sums}`,
  );
}
