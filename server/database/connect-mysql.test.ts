import { connect, type Socket } from 'node:net';
import type { Connection } from 'mysql2/promise';
import { eventually } from '../test/eventually.js';
import { FakeMysqlServer } from '../test/fake-mysql-server.js';
import { closeMysql, connectMysql } from './connect-mysql.js';

describe('A connection to MySQL outside of any pool', () => {
  let server: FakeMysqlServer;
  let socket: Socket;
  const open = (): Promise<Connection> => {
    const stream = () => {
      socket = connect(server.port, '127.0.0.1');
      return socket;
    };
    return connectMysql({ user: 'app', password: 'secret', stream } as object);
  };
  beforeEach(async () => {
    server = await FakeMysqlServer.start();
  });
  afterEach(() => server.close());

  const failSocket = () => socket.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));

  it('ends no process when its socket fails after it was refused', async () => {
    server.refuseConnection = 1040;
    await expect(open()).rejects.toMatchObject({ errno: 1040 });
    for (const again of [failSocket, failSocket]) expect(again).not.toThrow();
  });

  it('ends no process when its socket fails while nothing is asked, and tells whoever asks next', async () => {
    const connection = await open();
    for (const again of [failSocket, failSocket]) expect(again).not.toThrow();
    await expect(connection.query('SELECT 1')).rejects.toThrow('closed state');
  });

  it('is closed within a second or so although the server never answers', async () => {
    server.isSilent = (sql) => sql === 'SELECT silence';
    const connection = await open();
    const asked = connection.query('SELECT silence').catch((error: unknown) => error);
    await eventually(() => server.statements.includes('SELECT silence'));
    await closeMysql(connection);
    expect(await asked).toMatchObject({ message: expect.any(String) });
  });
});
