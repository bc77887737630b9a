import { connect, type Socket } from 'node:net';
import type { Secret } from '../kernel/secret.js';
import { isServerFull } from './database-errors.js';
import { type MysqlHost, parseMysqlAddress } from './mysql-address.js';

/** What mysql2 hands to whoever opens its streams. */
interface StreamRequest {
  readonly config: { host?: string; port?: number };
}

/**
 * After so many milliseconds without a word the system asks whether the other machine is there, and gives up some ten seconds later. An
 * audit, a migration or a command waits as long as its statement takes, and else for two hours where a machine or the network is gone.
 */
const keepAliveInitialDelay = 30_000;

const known = new Map<string, MysqlServers>();

/**
 * Which of an address's servers this process uses now. All its connections to one address share the choice: whoever finds
 * that a server cannot be reached, or cannot be written to, moves everybody on to the next one, and after the last to the
 * first again. A choice that works is kept.
 */
export class MysqlServers {
  #index = 0;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly hosts: readonly MysqlHost[]) {}

  /** The one of this address, made when it is first asked for. */
  static of(url: Secret): MysqlServers {
    const text = url.reveal();
    const servers = known.get(text) ?? new MysqlServers(parseMysqlAddress(text).hosts);
    known.set(text, servers);
    return servers;
  }

  /** How many there are to choose from. */
  get count(): number {
    return this.hosts.length;
  }

  get current(): MysqlHost {
    return this.hosts[this.#index] as MysqlHost;
  }

  /** Has `makeRoom` called whenever a server has refused one of this process's connections because it has as many as it may. */
  onFull(makeRoom: () => void): void {
    this.#listeners.push(makeRoom);
  }

  /**
   * Moves on, unless somebody else has already left that server.
   * @param refusal what it answered to whoever wanted a connection
   */
  leave(host: MysqlHost, refusal?: unknown): void {
    if (isServerFull(refusal)) for (const makeRoom of this.#listeners) makeRoom();
    if (host === this.current) this.#index = (this.#index + 1) % this.hosts.length;
  }

  /** Opens a connection to the current server, as mysql2's option `stream`; one that cannot be reached is left. */
  openStream = ({ config }: StreamRequest): Socket => {
    const host = this.current;
    const socket = openSocket(host);
    // TLS compares the certificate with the host of the settings, which is this one now.
    if ('host' in host) config.host = host.host;
    let hasConnected = false;
    socket.once('connect', () => {
      hasConnected = true;
    });
    socket.once('close', () => {
      if (!hasConnected) this.leave(host);
    });
    return socket;
  };
}

function openSocket(host: MysqlHost): Socket {
  if ('socketPath' in host) return connect(host.socketPath);
  return connect({ port: host.port, host: host.host, keepAlive: true, keepAliveInitialDelay, noDelay: true });
}
