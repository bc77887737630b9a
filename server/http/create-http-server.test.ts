import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { askToReconnect, closeHttpServer, createHttpServer } from './create-http-server.js';

const longBytes = 30 * 1024 * 1024;

describe('A server that is to stop', () => {
  const agent = new Agent({ keepAlive: true });
  let server: Server;
  beforeEach(async () => {
    const app = express();
    app.get('/', (_request, response) => void response.send('here'));
    app.get('/long', (_request, response) => void response.end(Buffer.alloc(longBytes)));
    server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    agent.destroy();
    await closeHttpServer(server, 0);
  });

  const askForConnection = async () => {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(request({ port, host: '127.0.0.1', agent }).end(), 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response.headers.connection;
  };

  it('lets an answer that is written, and not read yet, be read to its end', async () => {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(request({ port, host: '127.0.0.1', agent, path: '/long' }).end(), 'response')) as [
      IncomingMessage,
    ];
    const closing = closeHttpServer(server, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    let bytes = 0;
    for await (const piece of response as AsyncIterable<Buffer>) bytes += piece.length;
    expect(bytes).toBe(longBytes);
    await closing;
  });

  it('keeps connections until then, and ends each with the next answer from then on', async () => {
    expect([await askForConnection(), await askForConnection()]).toEqual(['keep-alive', 'keep-alive']);
    askToReconnect(server);
    expect([await askForConnection(), await askForConnection()]).toEqual(['close', 'close']);
  });
});
