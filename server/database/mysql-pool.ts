import type { Socket } from 'node:net';
import mysql2, { type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { isServerUnfit, isStatementFault, noteConnectionRefused } from './database-errors.js';
import type { MysqlServers } from './mysql-servers.js';
import { mysqlServingStatements } from './session-settings.js';

/** No statement of a request takes nearly as long; a server that says nothing for this long is taken for gone. */
const silenceMsMax = 5_000;

type Answer = (error: unknown, ...rest: readonly unknown[]) => void;

/**
 * The mysql2 that TypeORM is given, since TypeORM has no hook for a new connection of its pool. Each session is pinned to our
 * settings. A connection on which anything but a statement's own fault was seen is not used again; where the server itself
 * is unfit (read-only, offline, no longer the primary), no connection to it is, and the next one goes to the address's next server.
 */
export function createMysqlDriver(servers: MysqlServers) {
  return {
    ...mysql2,
    createPool(options: PoolOptions): Pool {
      const pool = mysql2.createPool(options);
      new PoolWatch(pool, servers).begin();
      return pool;
    },
  };
}

/**
 * Cuts connections on which the server says nothing while one is in use. A network that swallows everything tells nobody:
 * without this, whoever asked would wait for ever. Called after the migrations, which may take their time.
 */
export function cutSilentConnections(pool: Pool): void {
  pool.on('acquire', (connection) => socketOf(connection).setTimeout(silenceMsMax));
  pool.on('release', (connection) => socketOf(connection).setTimeout(0));
}

class PoolWatch {
  /** Every open connection, and whether it lies in the pool unused. */
  readonly #connections = new Map<PoolConnection, { isIdle: boolean }>();
  readonly #doomed = new WeakSet<PoolConnection>();

  constructor(
    private readonly pool: Pool,
    private readonly servers: MysqlServers,
  ) {}

  begin(): void {
    this.pool.on('connection', (connection) => this.#watch(connection));
    this.pool.on('acquire', (connection) => this.#noteIdle(connection, false));
    this.pool.on('release', (connection) => this.#noteIdle(connection, true));
    const getConnection = this.pool.getConnection.bind(this.pool);
    this.pool.getConnection = (answer) => {
      const host = this.servers.current;
      getConnection((error, connection) => {
        // Refused after the network had let us in: a router without a primary, a server that is offline.
        if (error) {
          this.servers.leave(host);
          noteConnectionRefused(error);
        }
        answer(error, connection);
      });
    };
  }

  #noteIdle(connection: PoolConnection, isIdle: boolean): void {
    const state = this.#connections.get(connection);
    if (state) state.isIdle = isIdle;
  }

  #watch(connection: PoolConnection): void {
    const host = this.servers.current;
    this.#connections.set(connection, { isIdle: false });
    connection.once('end', () => this.#connections.delete(connection));
    const socket = socketOf(connection);
    socket.once('timeout', () => socket.destroy(new SilentConnectionError()));
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
    connection.release = () => (this.#doomed.has(connection) ? connection.destroy() : release());
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

class SilentConnectionError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super(`The database has said nothing for ${silenceMsMax} ms.`);
  }
}

// mysql2 has it on every connection, but not in its types.
function socketOf(connection: PoolConnection): Socket {
  return (connection as PoolConnection & { readonly stream: Socket }).stream;
}
