import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { CallerPresence } from './caller-presence.js';
import { readBodyText } from './read-body.js';

/** A request whose sender has gone by the time that anybody looks at it. */
async function findGoneRequest(body: string, announcedBytes: number) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: t\r\ncontent-length: ${announcedBytes}\r\n\r\n${body}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  socket.destroy();
  await once(response, 'close');
  server.close();
  return { request, response };
}

describe('A caller who went while its key was looked up', () => {
  it.each([
    ['half of its body', 100],
    ['its whole body', 4],
  ])('after %s: is known to have left, and nobody waits for what it sent', async (_, announcedBytes) => {
    const { request, response } = await findGoneRequest('{"a"', announcedBytes);
    const presence = new CallerPresence(response);
    expect(presence.hasLeft).toBe(true);
    expect(presence.left.aborted).toBe(true);
    await expect(readBodyText(request, 1_000)).rejects.toThrow('The sender went away');
  });
});
