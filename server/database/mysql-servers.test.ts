import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
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
    const local = `0100007F:${Number(socket.localPort).toString(16).toUpperCase().padStart(4, '0')}`;
    const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
    const fields = lines.map((line) => line.trim().split(/\s+/)).find((line) => line[1] === local) ?? [];
    const hundredths = keepAliveTimer.exec(fields[5] ?? '')?.[1];
    expect(Number.parseInt(hundredths ?? '', 16)).toBeLessThanOrEqual(3_000);
    for (const end of [socket, other, server]) 'destroy' in end ? end.destroy() : end.close();
  });
});
