import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { listenLocally, portOf } from '../test/local-server.js';
import { BodyMemory } from './calls/body-memory.js';
import { readBody } from './calls/read-body.js';

const mebibyte = 1024 * 1024;
const senders = 5;
const bodyBytes = 16 * mebibyte;
/** Half a megabyte a turn, and beyond it what each connection had been read already. */
const bytesInTurnMax = 1.25 * mebibyte;

describe('Large bodies that come in at once', () => {
  it('are read a little in each turn of the loop, all of them together, and come whole', async () => {
    const memory = new BodyMemory(1_000 * mebibyte);
    let bytesInTurn = 0;
    let mostInTurn = 0;
    const count = (request: IncomingMessage) =>
      request.on('data', ({ length }: Buffer) => {
        if (bytesInTurn === 0) {
          setImmediate(() => {
            mostInTurn = Math.max(mostInTurn, bytesInTurn);
            bytesInTurn = 0;
          });
        }
        bytesInTurn += length;
      });
    const server = createServer((request, response) => {
      const read = readBody(request, memory.open('account'));
      count(request);
      // Its blocks are what was received.
      void read.then((body) =>
        response.end(String(body.isLarge && body.blocks.reduce((sum, block) => sum + block.length, 0))),
      );
    });
    await listenLocally(server);
    const port = portOf(server);
    const body = Buffer.alloc(bodyBytes, ' ');
    const received = await Promise.all(
      Array.from({ length: senders }, async () => {
        const request = send({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': bodyBytes } });
        request.end(body);
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        return String(Buffer.concat(await response.toArray()));
      }),
    );
    server.close();
    expect(received).toEqual(Array.from({ length: senders }, () => String(bodyBytes)));
    expect(mostInTurn).toBeLessThan(bytesInTurnMax);
  });
});
