import mysql2, { type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';
import { isServerFull, isServerUnfit, isStatementFault, noteConnectionRefused } from '../database-errors.js';
import type { MysqlHost } from '../mysql-address.js';
import type { MysqlServers } from '../mysql-servers.js';
import { mysqlServingStatements } from '../session-settings.js';
import { insideOf, socketOf, takeCrossedAnswers } from './driver-inside.js';
import { identifyStatement, type KnownDatabase, OtherDatabaseError } from './known-database.js';
import { BusyPoolError } from './pool-errors.js';
import { PoolRoom } from './pool-room.js';
import { cutSilentConnections } from './silent-connections.js';

/** How long the database is waited for. */
export interface PoolWaits {
  /** A server that says nothing for this long while a connection is in use is taken for gone. */
  readonly silenceMs: number;
  /** For a connection, its opening included. */
  readonly connectionMs: number;
}

/** No statement of a request takes nearly as long; whoever waits longer for a connection had better come again. */
const servingWaits: PoolWaits = { silenceMs: 5_000, connectionMs: 2_000 };
/** Of an operator's command, behind which nobody queues: longer than the server itself waits for a table that is being changed. */
export const commandWaits: PoolWaits = { silenceMs: 90_000, connectionMs: 30_000 };
/** More than wait in any moment that passes. */
const waitersMax = 2_048;
/** A database can be replaced under connections that stay open, so one of them is asked now and then. */
const identifyEveryMs = 1_000;

type Answer = (error: unknown, ...rest: readonly unknown[]) => void;
type Take = Pool['getConnection'];
type Taken = Parameters<Take>[0];

const watches = new WeakMap<Pool, PoolWatch>();

/**
 * The mysql2 that TypeORM is given, since TypeORM has no hook for a new connection of its pool. Each session is pinned to our
 * settings. A connection on which anything but a statement's own fault was seen is not used again; where the server itself
 * is unfit (read-only, offline, no longer the primary), no connection to it is, and the next one goes to the address's next server.
 * Where it is full, the pool makes room for the ledger; see `PoolRoom`.
 * @param waits From the first connection on; null: as long as it takes, until `boundWaits`.
 */
export function createMysqlDriver(servers: MysqlServers, waits: PoolWaits | null = null) {
  return {
    ...mysql2,
    createPool(options: PoolOptions): Pool {
      const pool = mysql2.createPool(options);
      const watch = new PoolWatch(pool, servers);
      watches.set(pool, watch);
      watch.begin();
      if (waits !== null) boundWaits(pool, waits);
      return pool;
    },
  };
}

/**
 * From now on nobody waits long: connections on which the server says nothing while one is in use are cut, since a network that swallows
 * everything tells nobody; and who gets no connection in time is refused, since behind a server that is only slow all would
 * wait longer and longer. A server calls it after the migrations, which may take their time.
 */
export function boundWaits(pool: Pool, waits = servingWaits): void {
  cutSilentConnections(pool, waits.silenceMs);
  watches.get(pool)?.boundWaits(waits);
}

/**
 * From now on each new connection must lead to this database, and those that are open as well, of which one is asked once a second. Who
 * asks for a connection while another one answers is refused with an `OtherDatabaseError`.
 */
export function keepPoolTo(pool: Pool, database: KnownDatabase): void {
  watches.get(pool)?.keepTo(database);
}

/**
 * Asks once more, for whoever was told that something is not there, before that is believed.
 * @throws OtherDatabaseError, or why there is no connection.
 */
export async function assertPoolInPlace(pool: Pool): Promise<void> {
  const connection = await settled((answer) => pool.getConnection(answer));
  await assertConnectionInPlace(pool, connection);
  connection.release();
}

/**
 * Asks a connection that is in use. In a transaction, whose session and tables cannot be replaced before it ends, nothing is then written
 * anywhere else.
 * @throws OtherDatabaseError, or why it does not answer; the connection is destroyed then.
 */
export async function assertConnectionInPlace(pool: Pool, connection: PoolConnection): Promise<void> {
  const watch = watches.get(pool);
  if (watch) await settled((answer) => watch.identify(connection, answer));
}

interface ConnectionState {
  /** Whether it lies in the pool unused. */
  isIdle: boolean;
  readonly host: MysqlHost;
  isIdentified: boolean;
}

class PoolWatch {
  /** Every open connection. */
  readonly #connections = new Map<PoolConnection, ConnectionState>();
  readonly #doomed = new WeakSet<PoolConnection>();
  #waits: PoolWaits | null = null;
  #waiters = 0;
  #database: KnownDatabase | null = null;
  #identifiedMs = Number.NEGATIVE_INFINITY;
  readonly #room: PoolRoom;

  constructor(
    private readonly pool: Pool,
    private readonly servers: MysqlServers,
  ) {
    this.#room = new PoolRoom(pool);
    servers.onFull(() => this.#makeRoom());
  }

  begin(): void {
    const { all } = insideOf(this.pool);
    const add = all.push.bind(all);
    all.push = (connection) => {
      // From its first moment on: also the socket of a login that was refused may fail, and an error that nobody hears ends the process.
      connection.on('error', () => this.#forgetIdle(connection));
      takeCrossedAnswers(connection);
      return add(connection);
    };
    this.pool.on('connection', (connection) => this.#watch(connection));
    this.pool.on('acquire', (connection) => this.#noteUse(connection, { isIdle: false }));
    this.pool.on('release', (connection) => this.#noteUse(connection, { isIdle: true }));
    const take = this.pool.getConnection.bind(this.pool);
    this.pool.getConnection = (answer) =>
      this.#waits === null ? this.#take(take, answer) : this.#takeInTime(take, answer, this.#waits);
  }

  boundWaits(waits: PoolWaits): void {
    this.#waits = waits;
  }

  keepTo(database: KnownDatabase): void {
    this.#database = database;
  }

  #takeInTime(take: Take, answer: Taken, { connectionMs }: PoolWaits): void {
    if (this.#waiters >= waitersMax) {
      refuse(new BusyPoolError(`More than ${waitersMax} wait.`), answer);
      return;
    }
    this.#waiters += 1;
    let hasWaited = false;
    const timer = new AwakeTimer(connectionMs, () => {
      hasWaited = true;
      refuse(new BusyPoolError(`The database gave no connection within ${connectionMs} ms.`), answer);
    });
    this.#take(take, (error, connection) => {
      this.#waiters -= 1;
      timer.stop();
      if (!hasWaited) answer(error, connection);
      else if (!error) connection.release();
    });
  }

  #take(take: Take, answer: Taken, isRepeated = false): void {
    const host = this.servers.current;
    this.#room.widenInTime();
    take((error, connection) => {
      if (error) {
        // Refused after the network had let us in: a router without a primary, a server that is offline.
        if (!(error instanceof BusyPoolError)) this.servers.leave(host, error);
        // Of a full server, one of those that are open will be free soon.
        if (isServerFull(error) && !isRepeated && this.#connections.size > 0) this.#take(take, answer, true);
        else refuse(error, answer);
      } else if (this.#isIdentified(connection)) answer(null, connection);
      else this.identify(connection, answer);
    });
  }

  #isIdentified(connection: PoolConnection): boolean {
    const isFresh = performance.now() - this.#identifiedMs < identifyEveryMs;
    return isFresh && this.#connections.get(connection)?.isIdentified === true;
  }

  /** Answers with the connection when it leads to the database that is kept to; one that does not is destroyed. */
  identify(connection: PoolConnection, answer: Taken): void {
    const database = this.#database;
    if (database === null) {
      answer(null, connection);
      return;
    }
    // Whoever comes meanwhile by another connection need not ask as well.
    this.#identifiedMs = performance.now();
    connection.query(identifyStatement, (error, rows) => {
      const state = this.#connections.get(connection);
      const fault = database.judge(error, rows);
      if (fault === null) {
        if (state) state.isIdentified = true;
        answer(null, connection);
        return;
      }
      if (fault instanceof OtherDatabaseError) {
        if (state) this.servers.leave(state.host);
        this.#abandonAll();
      }
      connection.destroy();
      refuse(fault, answer);
    });
  }

  #noteUse(connection: PoolConnection, { isIdle }: { readonly isIdle: boolean }): void {
    const state = this.#connections.get(connection);
    if (state) state.isIdle = isIdle;
  }

  #watch(connection: PoolConnection): void {
    const host = this.servers.current;
    this.#connections.set(connection, { isIdle: false, host, isIdentified: false });
    connection.once('end', () => this.#connections.delete(connection));
    const socket = socketOf(connection);
    socket.once('close', () => this.#connections.delete(connection));
    for (const statement of mysqlServingStatements) {
      // On a session that is not as we rest on, nothing is asked: whoever waits for it is told why.
      connection.query(statement, (error) => error && socket.destroy(error));
    }
    this.#inspectAnswers(connection, (error) => {
      if (isStatementFault(error)) return;
      this.#doomed.add(connection);
      if (!isServerUnfit(error)) return;
      this.servers.leave(host);
      this.#abandonAll();
    });
    const release = connection.release.bind(connection);
    connection.release = () => {
      if (this.#doomed.has(connection)) connection.destroy();
      else if (!this.#isSpared(connection)) release();
    };
  }

  #makeRoom(): void {
    this.#room.narrow(this.#connections.size);
    for (const [connection, { isIdle }] of [...this.#connections]) if (isIdle) this.#isSpared(connection);
  }

  /** Ends it, and says so, where there are more than there may be now. */
  #isSpared(connection: PoolConnection): boolean {
    if (!this.#room.isExceededBy(this.#connections.size)) return false;
    // Its end is heard of later, and those that follow must not be counted beside it.
    this.#connections.delete(connection);
    connection.destroy();
    return true;
  }

  // mysql2 ends idle connections by a timer, which clears itself with the pool. Of a closed pool whose timer was not cleared, as under mocked
  // timers, it ends the same closed connection again and again, without a pause.
  #forgetIdle(connection: PoolConnection): void {
    const { idle } = insideOf(this.pool);
    for (let at = idle.length - 1; at >= 0; at -= 1) if (idle.get(at) === connection) idle.removeOne(at);
  }

  // mysql2 takes the callback last, whatever stands before it.
  #inspectAnswers(connection: PoolConnection, inspect: (error: unknown) => void): void {
    const query = connection.query.bind(connection) as (...parts: readonly unknown[]) => unknown;
    const watched = (...parts: readonly unknown[]) => {
      const answer = parts.at(-1);
      if (typeof answer !== 'function') return query(...parts);
      const inspected: Answer = (error, ...rest) => {
        if (error) inspect(error);
        (answer as Answer)(error, ...rest);
      };
      return query(...parts.slice(0, -1), inspected);
    };
    connection.query = watched as typeof connection.query;
  }

  #abandonAll(): void {
    for (const [connection, { isIdle }] of [...this.#connections]) {
      this.#doomed.add(connection);
      if (isIdle) connection.destroy();
    }
  }
}

function settled(begin: (answer: Taken) => void): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    begin((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}

/** Tells that there was no connection to be had, in a way that counts as a database that is away. */
function refuse(error: NodeJS.ErrnoException, answer: Taken): void {
  noteConnectionRefused(error);
  // mysql2 gives none either, whatever its types say.
  answer(error, undefined as unknown as PoolConnection);
}
