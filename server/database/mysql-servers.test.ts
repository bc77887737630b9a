import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eventuallyFind } from '../test/eventually.js';
import { MysqlServers } from './mysql-servers.js';

/** How Linux shows that a connection is asked for a sign of life next, and when, in hundredths of a second. */
const keepAliveTimer = /^02:([0-9A-F]{8})$/;

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('A connection to a server of MySQL', () => {
  onLinux('on which nothing is said is asked for a sign of life within half a minute', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = new MysqlServers([{ host: '127.0.0.1', port }]).openStream({ config: {} });
    await once(socket, 'connect');
    const [other] = await accepted;
    const shown = (end: number) => `0100007F:${end.toString(16).toUpperCase().padStart(4, '0')}`;
    const ends = [shown(Number(socket.localPort)), shown(port)].join(' ');
    // Read while others come and go, the list may leave one out.
    const timer = await eventuallyFind(() => {
      const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
      const fields = lines.map((line) => line.trim().split(/\s+/)).find((line) => line.slice(1, 3).join(' ') === ends);
      return fields?.[5];
    });
    expect(Number.parseInt(keepAliveTimer.exec(timer)?.[1] ?? '', 16)).toBeLessThanOrEqual(3_000);
    for (const end of [socket, other, server]) 'destroy' in end ? end.destroy() : end.close();
  });
});
