import type { Socket } from 'node:net';
import type { Connection, Pool, PoolConnection } from 'mysql2';
import type { Connection as PromisedConnection } from 'mysql2/promise';

/*
 * All that is used of mysql2 and is in none of its types, so that nothing but `driver-inside.test.ts` tells when a later one has it no more.
 */

/** A list of connections, as mysql2's pool keeps it. */
export interface PooledConnections {
  readonly length: number;
  push(connection: PoolConnection): unknown;
  get(at: number): PoolConnection | undefined;
  removeOne(at: number): unknown;
}

export interface PoolInside {
  /** Every connection, also one whose login is under way. */
  readonly all: PooledConnections;
  /** Those that lie unused. */
  readonly idle: PooledConnections;
  /** Who waits for one. */
  readonly waiting: { readonly length: number };
}

export function insideOf(pool: Pool): PoolInside {
  const { _allConnections, _freeConnections, _connectionQueue } = pool as Pool & {
    readonly _allConnections: PooledConnections;
    readonly _freeConnections: PooledConnections;
    readonly _connectionQueue: { readonly length: number };
  };
  return { all: _allConnections, idle: _freeConnections, waiting: _connectionQueue };
}

/** The connection that one with promises is made of. */
export function plainOf(connection: PromisedConnection): Connection {
  return (connection as PromisedConnection & { readonly connection: Connection }).connection;
}

export function socketOf(connection: Connection): Socket {
  return (connection as Connection & { readonly stream: Socket }).stream;
}

/**
 * Has a connection take what comes out of order in silence, as the farewell of a server does that ends an idle connection while a statement is on
 * its way. mysql2 takes it as well, and writes a line of its own amid those of our log.
 */
export function takeCrossedAnswers(connection: Connection): void {
  const inside = connection as Connection & {
    sequenceId: number;
    handlePacket(packet?: { readonly sequenceId: number }): void;
  };
  const handle = inside.handlePacket.bind(connection);
  inside.handlePacket = (packet) => {
    if (packet !== undefined) inside.sequenceId = packet.sequenceId;
    handle(packet);
  };
}
