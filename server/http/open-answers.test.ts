import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { eventually } from '../test/eventually.js';
import { closeHttpServer, createHttpServer } from './create-http-server.js';

const head = (path: string, ...lines: string[]) =>
  `${[`POST ${path} HTTP/1.1`, 'host: x', ...lines].join('\r\n')}\r\n\r\n`;

describe('Requests that are sent behind one that is not answered yet', () => {
  let server: Server;
  let socket: Socket;
  let received: string;
  /** The answers that were begun, in the order of their requests, and how often each was closed. */
  let begun: { readonly path: string; readonly response: Response; closed: number }[];

  beforeEach(async () => {
    begun = [];
    received = '';
    const app = express().use((request, response) => {
      const { path } = request;
      const answer = { path, response, closed: 0 };
      begun.push(answer);
      response.on('close', () => {
        answer.closed += 1;
      });
      if (path === '/written') response.write('a part');
      else if (path === '/ended') response.end('all of it');
      else if (path === '/destroyed') response.destroy();
    });
    server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
    });
  });
  afterEach(async () => {
    socket.destroy();
    await closeHttpServer(server, 0);
  });

  it.each(['/written', '/untouched'])(
    'have their answers closed once when the connection breaks, whatever was done with them: behind %s',
    async (first) => {
      const others = ['/untouched', '/written', '/ended', '/destroyed'];
      socket.write(head(first) + others.map((path) => head(path)).join('') + head('/body', 'content-length: 9'));
      await eventually(() => begun.length === 6);
      socket.resetAndDestroy();
      await eventually(() => begun.every(({ closed }) => closed > 0));
      // Whatever would close one of them again has had its turn when the whole server has ended.
      await closeHttpServer(server, 0);
      expect(begun.map(({ path, closed }) => [path, closed])).toEqual(
        [first, ...others, '/body'].map((path) => [path, 1]),
      );
      for (const { response } of begun) expect([response.destroyed, response.closed]).toEqual([true, true]);
    },
  );

  it('have their answers closed once when they are answered in their turn', async () => {
    socket.write(head('/untouched') + head('/untouched') + head('/ended'));
    await eventually(() => begun.length === 3);
    begun[1]?.response.end('two');
    begun[0]?.response.end('one');
    await eventually(() => received.endsWith('all of it'));
    expect(received).toMatch(/one.*two.*all of it$/s);
    socket.destroy();
    await eventually(() => begun.every(({ closed }) => closed > 0));
    await closeHttpServer(server, 0);
    expect(begun.map(({ closed, response }) => [closed, response.writableFinished])).toEqual(Array(3).fill([1, true]));
  });
});
