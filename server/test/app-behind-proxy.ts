import { readMysqlUrl } from '../database/database-address.js';
import { Secret } from '../kernel/secret.js';
import { TestApp } from './create-test-app.js';
import type { TestDatabase } from './each-database.js';
import { TcpProxy } from './tcp-proxy.js';

/** Starts a server whose way to its database of MySQL or MariaDB leads through a proxy that can break it. Close the app first. */
export async function startBehindProxy(database: TestDatabase): Promise<{ app: TestApp; network: TcpProxy }> {
  if (database.address.kind !== 'mysql') throw new Error('SQLite has no network to break.');
  const { host, port, user, password, database: name } = readMysqlUrl(database.address.url);
  const network = await TcpProxy.start({ host, port });
  const url = new Secret(`mysql://${user}:${password}@127.0.0.1:${network.port}/${name}`);
  return { network, app: await TestApp.start({ ...database, address: { kind: 'mysql', url } }) };
}
