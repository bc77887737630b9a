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
  let handedOver: number;
  /** The answers that were begun, in the order of their requests, and how often each was closed. */
  let begun: { readonly path: string; readonly response: Response; closed: number }[];

  beforeEach(async () => {
    begun = [];
    received = '';
    handedOver = 0;
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
    server.on('request', () => {
      handedOver += 1;
    });
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
    'are never begun when the connection breaks, and the answer before them is closed once: behind %s',
    async (first) => {
      socket.write(head(first) + head('/untouched') + head('/ended') + head('/body', 'content-length: 9'));
      await eventually(() => handedOver === 4);
      socket.resetAndDestroy();
      await eventually(() => begun.every(({ closed }) => closed > 0));
      // Whatever would close one of them again, or begin another, has had its turn when the whole server has ended.
      await closeHttpServer(server, 0);
      expect(begun.map(({ path, closed }) => [path, closed])).toEqual([[first, 1]]);
      expect([begun[0]?.response.destroyed, begun[0]?.response.closed]).toEqual([true, true]);
    },
  );

  it('are not begun behind an answer that was destroyed', async () => {
    socket.write(head('/destroyed') + head('/untouched'));
    await once(socket, 'close');
    await closeHttpServer(server, 0);
    expect(begun.map(({ path, closed }) => [path, closed])).toEqual([['/destroyed', 1]]);
  });

  it('have their answers closed once when they are answered in their turn', async () => {
    socket.write(head('/untouched') + head('/untouched') + head('/ended'));
    await eventually(() => handedOver === 3);
    begun[0]?.response.end('one');
    await eventually(() => begun.length === 2);
    begun[1]?.response.end('two');
    await eventually(() => received.endsWith('all of it'));
    expect(received).toMatch(/one.*two.*all of it$/s);
    socket.destroy();
    await eventually(() => begun.every(({ closed }) => closed > 0));
    await closeHttpServer(server, 0);
    expect(begun.map(({ closed, response }) => [closed, response.writableFinished])).toEqual(Array(3).fill([1, true]));
  });
});
