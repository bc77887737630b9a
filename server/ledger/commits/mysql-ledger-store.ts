import type { Connection, ConnectionOptions, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { closeMysql, connectMysql } from '../../database/connect-mysql.js';
import { readMysqlUrl } from '../../database/database-address.js';
import {
  isAnsweredByServer,
  isConstraintRefusal,
  isPassingConflict,
  isRowLocked,
  isServerUnfit,
} from '../../database/database-errors.js';
import type { MysqlHost } from '../../database/mysql-address.js';
import { MysqlServers } from '../../database/mysql-servers.js';
import { KnownDatabase } from '../../database/pool/known-database.js';
import { mysqlServingStatements } from '../../database/session-settings.js';
import type { Secret } from '../../kernel/secret.js';
import type { CompanionToRun } from '../companion-write.js';
import { type KeyRow, type KeySpendRow, keySpendName } from '../key-spend/key-spend-rows.js';
import { listBudgetedMembers, type MemberSpendRow, toMemberSpend } from '../key-spend/member-spend-books.js';
import { addCounter, listMissingCounters } from '../key-spend/open-key-spend.js';
import {
  type BatchSnapshot,
  type CallRecordRow,
  type HoldRow,
  type LeaseRow,
  type LedgerOperation,
  leasedCallOf,
  type WalletRow,
} from '../tables/ledger-rows.js';
import { decideBatch, type LeaseTimes } from './decide-batch.js';
import { BatchFailure, type BatchOutcome, type LedgerStore } from './ledger-store.js';
import {
  placeAndTimeStatement,
  type Read,
  readCounter,
  toCounterStatements,
  toMemberStatements,
  toReadStatements,
  toReplayStatements,
  toWriteStatements,
} from './mysql-ledger-sql.js';

/** Longer than a lock may be waited for; a server that says nothing for this long is taken for gone. */
const roundTripMs = 3_000;
/** A wallet that is locked by somebody else holds up everybody in its batch for so long, once; then it is put aside. */
const lockWaitStatement = 'SET SESSION innodb_lock_wait_timeout = 1';

/** Opens a connection with the ledger's options; tests put faults in between. */
export type MysqlConnect = (options: ConnectionOptions) => Promise<Connection>;

export interface MysqlLedgerOptions {
  /** Whether a wallet that is locked by somebody else is waited for at all; for a second. */
  readonly waitsForWallets?: boolean;
  /** See `getDatabaseId`: nothing is committed in another one. null or left out: in whichever answers. */
  readonly databaseId?: string | null;
  readonly connect?: MysqlConnect;
}

/**
 * The ledger on MySQL or MariaDB: one connection of its own, two round trips a batch, one more where something is repeated. The
 * statements are text, since their number of rows varies and preparing each shape costs more than it saves; every value in them is
 * escaped under a pinned `sql_mode`.
 */
export class MysqlLedgerStore implements LedgerStore {
  readonly operationsPerBatchMax = 256;
  readonly #options: Required<MysqlLedgerOptions>;
  readonly #servers: MysqlServers;
  readonly #database: KnownDatabase | null;
  #connection: Connection | null = null;
  /** Of the address's servers, the one that the connection goes to. */
  #server: MysqlHost;

  constructor(
    private readonly url: Secret,
    private readonly times: LeaseTimes,
    options: MysqlLedgerOptions = {},
  ) {
    this.#options = { waitsForWallets: true, connect: connectMysql, databaseId: null, ...options };
    this.#database = KnownDatabase.of(this.#options.databaseId);
    this.#servers = MysqlServers.of(url);
    this.#server = this.#servers.current;
  }

  async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
    const connection = await this.#connect();
    const batch = {
      operations,
      times: this.times,
      waitsForWallets: this.#options.waitsForWallets,
      database: this.#database,
      isCommitSent: false,
    };
    try {
      return await runBatch(connection, batch);
    } catch (error) {
      await this.#abandonTransaction(connection, error);
      throw new BatchFailure(batch.isCommitSent ? 'in_doubt' : 'undone', error);
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) await closeMysql(connection);
  }

  async #connect(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const server = this.#servers.current;
    let connection: Connection | null = null;
    try {
      connection = await this.#options.connect({
        ...readMysqlUrl(this.url),
        multipleStatements: true,
        supportBigNumbers: true,
        charset: 'utf8mb4_bin',
        timezone: 'Z',
        connectTimeout: 2_000,
        // A stack taken at each query, in case it fails, is 4 % of a lone call's time.
        trace: false,
      });
      const opened = connection;
      opened.on('error', () => this.#forget(opened));
      const sql = [...mysqlServingStatements, lockWaitStatement].join(';');
      await opened.query({ sql, timeout: roundTripMs });
      await this.#database?.assertAnswers(ask(opened));
      this.#connection = opened;
      this.#server = server;
      return opened;
    } catch (error) {
      connection?.destroy();
      this.#servers.leave(server, error);
      throw new BatchFailure('not_begun', error);
    }
  }

  // A lock wait timeout rolls back only its statement, so the rest would be committed by the next COMMIT: always roll back. A
  // connection that does not answer that, or whose error is not one of the few that are about the rows alone, may carry anything:
  // a session keeps, for one, the privileges with which it began.
  async #abandonTransaction(connection: Connection, error: unknown): Promise<void> {
    const isClean =
      isAnsweredByServer(error) &&
      (isPassingConflict(error) || isRowLocked(error) || isConstraintRefusal(error)) &&
      (await connection.query({ sql: 'ROLLBACK', timeout: roundTripMs }).then(
        () => true,
        () => false,
      ));
    if (isClean) return;
    if (isServerUnfit(error)) this.#servers.leave(this.#server);
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    if (this.#connection === connection) this.#connection = null;
    connection.destroy();
  }
}

/** A batch on its way through one connection. */
interface RunningBatch {
  readonly operations: readonly LedgerOperation[];
  readonly times: LeaseTimes;
  readonly waitsForWallets: boolean;
  readonly database: KnownDatabase | null;
  /** From then on, nobody knows whether it is committed, until the server says so. */
  isCommitSent: boolean;
}

async function runBatch(connection: Connection, batch: RunningBatch): Promise<BatchOutcome> {
  const { operations, times } = batch;
  const snapshot = await readSnapshot(connection, batch);
  const { results, changes, companions, openLeases, keyRooms } = decideBatch(operations, snapshot, times);
  const failed = await runCompanions(connection, companions);
  if (failed !== null) {
    await connection.query({ sql: 'ROLLBACK', timeout: roundTripMs });
    return { status: 'companion_changed_nothing', operationIndex: failed };
  }
  batch.isCommitSent = true;
  await connection.query({ sql: [...toWriteStatements(changes), 'COMMIT'].join(';'), timeout: roundTripMs });
  return { status: 'committed', results, openLeases, keyRooms };
}

const ask = (on: Connection) => async (sql: string) => (await on.query({ sql, timeout: roundTripMs }))[0];

async function readSnapshot(
  connection: Connection,
  { operations, waitsForWallets, database }: RunningBatch,
): Promise<BatchSnapshot> {
  const rows = await read(connection, toReadStatements(operations, waitsForWallets), { isFirst: true });
  const place = rows('wallets')[0] ?? (await readPlaceAndTime(connection));
  // The database may have been replaced under the connection. It cannot be any more before this transaction ends.
  database?.assertIs(place.database_id);
  const held = byId<HoldRow>(rows('holds'), 'id');
  const known = new Set(rows('known').map(({ id }) => String(id)));
  // An open hold has neither a receipt nor a late settlement, and most settlements find theirs open; those by a lease find nothing.
  const replays = operations.filter((operation) => {
    const leased = leasedCallOf(operation);
    if (leased) return known.has(leased.callId);
    const { kind, input } = operation;
    return kind === 'promote' || kind === 'waive' || (kind === 'settle' && held.get(input.callId)?.state !== 'open');
  });
  const replayed = replays.length > 0 ? await read(connection, toReplayStatements(replays)) : () => [];
  const holdRows = [...rows('holds'), ...replayed('holds')];
  const keys = byId<KeyRow>(rows('keys'), 'id');
  const [holds, leases] = [byId<HoldRow>(holdRows, 'id'), byId<LeaseRow>(rows('leases'), 'id')];
  const snapshot = {
    nowMs: Number(place.now_ms),
    summedHourMs: place.summed_hour_ms === null ? null : Number(place.summed_hour_ms),
    summedJournalHourMs: place.summed_journal_hour_ms === null ? null : Number(place.summed_journal_hour_ms),
    wallets: byId<WalletRow>(rows('wallets'), 'id'),
    holds,
    leases,
    sealedLeaseIds: known, // Ids of calls and holds among them are no leases'.
    callRecords: byId<CallRecordRow>(replayed('callRecords'), 'call_id'),
    bookedTransferIds: new Set([...rows('transfers'), ...replayed('transfers')].map(({ id }) => String(id))),
    keys,
    memberSpends: await readMemberSpends(connection, listBudgetedMembers(operations, { keys, holds, leases })),
    keySpends: byCounterName([...holdRows, ...rows('keys'), ...rows('leases')], rows('counters')),
    newCounterNames: new Set<string>(),
    newlyCountedHoldIds: new Set<string>(),
    newlyCountedLeaseIds: new Set<string>(),
  };
  // One more round trip, once for each limited key in each period.
  for (const missing of listMissingCounters(operations, snapshot)) {
    const [answer] = await connection.query<RowDataPacket[][]>({
      sql: toCounterStatements(missing).join(';'),
      timeout: roundTripMs,
    });
    const [sums, uncounted] = answer as RowDataPacket[][];
    addCounter(
      missing,
      { spent: Number(sums?.[0]?.spent), holds: (uncounted ?? []) as unknown as HoldRow[] },
      snapshot,
    );
  }
  return snapshot;
}

async function readPlaceAndTime(connection: Connection): Promise<RowDataPacket> {
  const [rows] = await connection.query<RowDataPacket[]>({ sql: placeAndTimeStatement, timeout: roundTripMs });
  return rows[0] as RowDataPacket;
}

/** One more round trip for each member with a budget whose keys ask for holds. */
async function readMemberSpends(
  connection: Connection,
  members: ReturnType<typeof listBudgetedMembers>,
): Promise<Map<string, MemberSpendRow>> {
  const spends = new Map<string, MemberSpendRow>();
  for (const [name, member] of members) {
    const sql = toMemberStatements(member).join(';');
    const [answer] = await connection.query<RowDataPacket[][]>({ sql, timeout: roundTripMs });
    const [made = [], spent, pending] = answer as RowDataPacket[][];
    const sums = { spent: Number(spent?.[0]?.spent), pending: Number(pending?.[0]?.pending) };
    spends.set(name, toMemberSpend(member, { keyIds: made.map(({ id }) => String(id)), ...sums }));
  }
  return spends;
}

/** Reads in one round trip. @returns the rows of each; none of what was not asked for. */
async function read(
  connection: Connection,
  statements: ReadonlyMap<Read, string>,
  { isFirst = false } = {},
): Promise<(name: Read) => readonly RowDataPacket[]> {
  const begin = isFirst ? ['START TRANSACTION'] : [];
  const sql = [...begin, ...statements.values()].join(';');
  const [answers] = await connection.query<RowDataPacket[][]>({ sql, timeout: roundTripMs });
  const names = [...statements.keys()];
  return (name) => (names.includes(name) ? (answers[names.indexOf(name) + begin.length] ?? []) : []);
}

function byId<Row>(rows: readonly RowDataPacket[], name: string): Map<string, Row> {
  return new Map(rows.map((row) => [String(row[name]), row as Row]));
}

function byCounterName(joined: readonly RowDataPacket[], plain: readonly RowDataPacket[]): Map<string, KeySpendRow> {
  const counters = [...(plain as KeySpendRow[]), ...joined.map(readCounter)].filter((counter) => counter !== null);
  return new Map(counters.map((counter) => [keySpendName(counter.key_id, counter.period), counter]));
}

/** @returns the index of the operation whose companion did not change exactly one row, or null. */
async function runCompanions(connection: Connection, companions: readonly CompanionToRun[]): Promise<number | null> {
  for (const { operationIndex, sql, values, isSide } of companions) {
    const [answer] = await connection.query<ResultSetHeader>({ sql, values: [...values], timeout: roundTripMs });
    if (!isSide && answer.affectedRows !== 1) return operationIndex;
  }
  return null;
}
