import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { listenOnHost } from './listen-on-host.js';

const make = () => createServer((_, response) => response.end('ours'));
const ask = async (host: string, port: number) => (await fetch(`http://${host}:${port}/`)).text();

describe('listenOnHost', () => {
  it('is there for http://localhost by IPv4 and by IPv6, on one port, and nowhere else', async () => {
    const { servers, port } = await listenOnHost(make, { host: 'localhost', port: 0, backlog: 10 });
    expect(servers.map((server) => (server.address() as AddressInfo).address)).toEqual(['127.0.0.1', '::1']);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(await ask(host, port)).toBe('ours');
    for (const server of servers) server.close();
  });

  it('opens nothing where another program has the port in one of the two, and says so as of a listener', async () => {
    for (const taken of ['127.0.0.1', '::1']) {
      const other = createSocketServer().listen(0, taken);
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const opening = listenOnHost(make, { host: 'localhost', port, backlog: 10 });
      await expect(opening).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
      other.close();
      await once(other, 'close');
      const { servers } = await listenOnHost(make, { host: 'localhost', port, backlog: 10 });
      for (const server of servers) server.close();
    }
  });

  it('is on one address where one is named', async () => {
    const { servers, port } = await listenOnHost(make, { host: '127.0.0.1', port: 0, backlog: 10 });
    expect(servers).toHaveLength(1);
    expect(await ask('127.0.0.1', port)).toBe('ours');
    await expect(ask('[::1]', port)).rejects.toThrow();
    for (const server of servers) server.close();
  });
});
