import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What befalls the bytes of a connection through the proxy. */
export type NetworkFault =
  | 'none'
  /** New connections are refused by being closed at once, and existing ones are cut. */
  | 'down'
  /** Bytes are swallowed in both directions; nobody is told. */
  | 'blackhole'
  /** The client's connection is cut as soon as it has sent COMMIT, which never arrives. */
  | 'cut-before-commit'
  /** COMMIT is passed on, and then the client's connection is cut. */
  | 'cut-after-commit';

/** A stretch of network between the ledger and its database that a test can break. */
export class TcpProxy {
  fault: NetworkFault = 'none';
  /** How much later all bytes arrive, in both directions. */
  delayMs = 0;
  /** Of the commits that pass, every n-th is cut while the fault is one of those. */
  cutEvery = 1;
  cuts = 0;
  #commits = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {
    server.on('connection', (client) => this.#join(client));
  }

  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks or mends the network from now on. */
  setFault(fault: NetworkFault): void {
    this.fault = fault;
    if (fault === 'down') for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #join(client: Socket): void {
    if (this.fault === 'down') {
      client.destroy();
      return;
    }
    const upstream = connect(this.target.port, this.target.host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    upstream.on('data', (bytes) => this.#later(() => this.fault !== 'blackhole' && client.write(bytes)));
    client.on('data', (bytes) => this.#later(() => this.#passOn(bytes, client, upstream)));
  }

  #later(passOn: () => void): void {
    if (this.delayMs === 0) passOn();
    else setTimeout(passOn, this.delayMs);
  }

  #passOn(bytes: Buffer, client: Socket, upstream: Socket): void {
    if (this.fault === 'blackhole') return;
    const isCut = this.fault.startsWith('cut') && isCommit(bytes) && this.#commits++ % this.cutEvery === 0;
    if (!isCut) {
      upstream.write(bytes);
      return;
    }
    this.cuts += 1;
    if (this.fault === 'cut-before-commit') client.destroy();
    else upstream.write(bytes, () => client.destroy());
  }
}

/** A new session is set to READ COMMITTED, and ends nothing by that. */
function isCommit(bytes: Buffer): boolean {
  return /COMMIT(?!TED)/.test(bytes.toString('latin1'));
}
