import { Socket } from 'node:net';
import { mock } from 'node:test';
import mysql2, { type PoolConnection } from 'mysql2';
import { FakeMysqlServer } from '../../test/fake-mysql-server.js';
import { closeMysql, connectMysql } from '../connect-mysql.js';
import { MysqlServers } from '../mysql-servers.js';
import { insideOf, plainOf, socketOf } from './driver-inside.js';
import { createMysqlDriver } from './mysql-pool.js';

describe('the mysql2 that is installed', () => {
  let server: FakeMysqlServer;
  const options = () => ({ host: '127.0.0.1', port: server.port, user: 'app', password: 'secret' });

  beforeEach(async () => {
    server = await FakeMysqlServer.start();
  });
  afterEach(() => server.close());

  it('has in its pools the lists of connections that are used here: all, idle ones, and who waits', async () => {
    const pool = mysql2.createPool({ ...options(), connectionLimit: 1 });
    const take = () =>
      new Promise<PoolConnection>((resolve, reject) => {
        pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
      });
    const { all, idle, waiting } = insideOf(pool);
    const count = () => [all.length, idle.length, waiting.length];
    expect(count()).toEqual([0, 0, 0]);
    const pushed: PoolConnection[] = [];
    const push = all.push.bind(all);
    all.push = (connection) => {
      pushed.push(connection);
      return push(connection);
    };
    const connection = await take();
    expect([all.get(0), ...pushed]).toEqual([connection, connection]);
    const second = take();
    expect(count()).toEqual([1, 0, 1]);
    connection.release();
    (await second).release();
    expect(count()).toEqual([1, 1, 0]);
    idle.removeOne(0);
    expect(count()).toEqual([1, 0, 0]);
    await pool.promise().end();
  });

  it('writes nothing amid our log when a server ends a connection on which a statement is on its way', async () => {
    const write = mock.method(console, 'error', () => {});
    server.refuse = (sql) => (sql === 'SELECT 1' ? 4031 : null);
    server.isCrossed = true;
    const own = await connectMysql(options());
    const pool = createMysqlDriver(new MysqlServers([{ host: '127.0.0.1', port: server.port }])).createPool(options());
    const refused = expect.objectContaining({ errno: 4031 });
    await expect(own.query('SELECT 1')).rejects.toEqual(refused);
    await expect(pool.promise().query('SELECT 1')).rejects.toEqual(refused);
    expect(write.mock.calls.map(({ arguments: words }) => words)).toEqual([]);
    const bare = mysql2.createConnection(options());
    bare.on('error', () => {});
    await expect(bare.promise().query('SELECT 1')).rejects.toEqual(refused);
    expect(write.mock.callCount()).toBe(1);
    mock.restoreAll();
    bare.destroy();
    await closeMysql(own);
    await pool.promise().end();
  });

  it('has the socket on each connection, and the connection in each that has promises', async () => {
    const plain = mysql2.createConnection(options());
    plain.on('error', () => {});
    expect(socketOf(plain)).toBeInstanceOf(Socket);
    plain.destroy();
    const promised = await connectMysql(options());
    expect(socketOf(plainOf(promised))).toMatchObject({ remotePort: server.port, destroyed: false });
    await closeMysql(promised);
  });
});
