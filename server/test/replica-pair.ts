import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Secret } from '../kernel/secret.js';
import type { TestDatabase } from './each-database.js';
import { OwnDatabaseServer } from './own-database-server.js';

/** A primary and a replica that follows it, of the product that the test run is on; the same users on both. */
export class ReplicaPair {
  readonly #name = `tollgate_${randomBytes(8).toString('hex')}`;

  private constructor(
    private readonly primary: OwnDatabaseServer,
    private readonly replica: OwnDatabaseServer,
  ) {}

  static async start(): Promise<ReplicaPair> {
    const isMysql = process.env.TEST_MYSQL_PRODUCT === 'MySQL';
    const common = [
      '--log-bin=binlog',
      // The schema that all suites share has triggers where their server lets an ordinary user make some: MySQL does not.
      ...(isMysql ? ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'] : ['--log-bin-trust-function-creators=1']),
    ];
    const [primary, replica] = await Promise.all([
      OwnDatabaseServer.start(['--server-id=1', ...common]),
      OwnDatabaseServer.start(['--server-id=2', '--read-only=1', ...common]),
    ]);
    const pair = new ReplicaPair(primary, replica);
    await pair.follow();
    const connection = await createConnection(primary.address.url);
    await connection.query(`CREATE DATABASE ${pair.#name}`);
    await connection.end();
    return pair;
  }

  /** The primary's, which goes with both servers. */
  get database(): TestDatabase {
    return {
      kind: 'mysql',
      address: { kind: 'mysql', url: new Secret(`${this.primary.address.url}/${this.#name}`) },
      drop: async () => {},
    };
  }

  get replicaUrl(): string {
    return `${this.replica.address.url}/${this.#name}`;
  }

  /** As somebody who may do everything on the replica, and write to it. */
  async onReplica(sql: string): Promise<RowDataPacket[]> {
    const connection = await createConnection({
      uri: `${this.replica.address.adminUrl}/${this.#name}`,
      multipleStatements: true,
    });
    try {
      return (await connection.query<RowDataPacket[]>(sql))[0];
    } finally {
      await connection.end();
    }
  }

  async follow(): Promise<void> {
    const { hostname, port, username, password } = new URL(this.primary.address.adminUrl);
    const place = (prefix: string) =>
      `${prefix}_HOST = '${hostname}', ${prefix}_PORT = ${port}, ${prefix}_USER = '${username}', ${prefix}_PASSWORD = '${password}', ${prefix}_CONNECT_RETRY = 1`;
    const statements =
      this.primary.address.product === 'MySQL'
        ? `CHANGE REPLICATION SOURCE TO ${place('SOURCE')}, SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`
        : `CHANGE MASTER TO ${place('MASTER')}, MASTER_USE_GTID = slave_pos; START SLAVE`;
    const connection = await createConnection({ uri: this.replica.address.adminUrl, multipleStatements: true });
    await connection.query(statements);
    await connection.end();
  }

  async killReplica(): Promise<void> {
    await this.replica.order('kill');
  }

  async startReplica(): Promise<void> {
    await this.replica.order('start');
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.replica.stop()]);
  }
}
