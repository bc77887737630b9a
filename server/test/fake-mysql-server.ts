import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import mysql2 from 'mysql2';

/** The server's side of a connection; mysql2 has it, but not in its types. */
interface ServerConnection {
  serverHandshake(greeting: object): void;
  writeOk(): void;
  writeError(error: { code: number; message: string }): void;
  _resetSequenceId(): void;
  on(event: 'query' | 'stmt_prepare', answer: (sql: string) => void): this;
  on(event: 'error', ignore: () => void): this;
}

/** All that a client may ask of it but TLS and compression. */
const capabilities = 0xff_f7_ff ^ 0x00_08_00 ^ 0x00_00_20;

/**
 * A server that speaks MySQL's protocol and answers every statement with OK, or with the error of `refuse`; for what no
 * real server does on demand: a failover in the middle of a test, an error that nobody has listed.
 */
export class FakeMysqlServer {
  /** The number of the error that a statement is answered with; null: OK. */
  refuse: (sql: string) => number | null = () => null;
  /** Whether a refusal comes as of a server that had ended the connection before it read the statement: counted as no answer to it. */
  isCrossed = false;
  /** Whether a statement is never answered. */
  isSilent: (sql: string) => boolean = () => false;
  /** The number of the error that a connection is answered with instead of a greeting, as routers do that have no server; null: none. */
  refuseConnection: number | null = null;
  /** With so many, it answers a further connection as a full server does. */
  connectionsMax = Number.POSITIVE_INFINITY;
  readonly statements: string[] = [];
  connectionCount = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(port = 0): Promise<FakeMysqlServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new FakeMysqlServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.connectionCount += 1;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const connection = mysql2.createConnection({ isServer: true, stream: socket } as object);
    const served = connection as unknown as ServerConnection;
    served.on('error', () => {});
    const answer = (sql: string) => {
      this.statements.push(sql);
      if (this.isSilent(sql)) return;
      const code = this.refuse(sql);
      if (this.isCrossed) served._resetSequenceId();
      if (code === null) served.writeOk();
      else served.writeError({ code, message: 'refused by the test' });
      // Every statement of the client's begins to count its packets anew.
      served._resetSequenceId();
    };
    // mysql2 takes each SET for a part of a prepared statement.
    served.on('query', answer).on('stmt_prepare', answer);
    const refusal = this.#sockets.size > this.connectionsMax ? 1040 : this.refuseConnection;
    if (refusal !== null) {
      served.writeError({ code: refusal, message: 'refused by the test' });
      socket.end();
      return;
    }
    served.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.4.0',
      connectionId: this.connectionCount,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: capabilities,
      authCallback: (_: unknown, done: (error: null) => void) => {
        done(null);
        served._resetSequenceId();
      },
    });
  }
}
