import { createConnection } from 'mysql2/promise';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { Secret } from '../../server/kernel/secret.js';
import { OwnDatabaseServer } from '../../server/test/own-database-server.js';

/** A MariaDB (or the MySQL that `MYSQLD` names) of one suite's own, which the suite may kill and start again on the same data. It ends with the test run. */
export class RestartableMariadb {
  private constructor(private readonly server: OwnDatabaseServer) {}

  /** @throws when the machine has no MariaDB, or it does not start. */
  static async start(): Promise<RestartableMariadb> {
    return new RestartableMariadb(await OwnDatabaseServer.start([]));
  }

  /** An empty database named `tollgate_` and this, as an ordinary user with the documented grants sees it. */
  async createDatabase(name: string): Promise<DatabaseAddress> {
    const { url } = this.server.address;
    const connection = await createConnection(url);
    await connection.query(`CREATE DATABASE tollgate_${name}`);
    await connection.end();
    return { kind: 'mysql', url: new Secret(`${url}/tollgate_${name}`) };
  }

  /** By SIGKILL, as a power cut would, except that the system's own cache stays. */
  kill(): Promise<void> {
    return this.server.order('kill');
  }

  /** Starts it again and waits until it has recovered and takes connections. */
  startAgain(): Promise<void> {
    return this.server.order('start');
  }

  close(): Promise<void> {
    return this.server.stop();
  }
}
