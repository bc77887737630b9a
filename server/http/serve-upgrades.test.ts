import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { eventually } from '../test/eventually.js';
import { closeHttpServer, createHttpServer } from './create-http-server.js';
import { serveUpgrades } from './serve-upgrades.js';

const offer = ['connection: upgrade', 'upgrade: h2c'];
const ask = (path: string, body = '', lines: readonly string[] = []) =>
  `POST ${path} HTTP/1.1\r\n${['host: x', `content-length: ${body.length}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
const pieceBytes = 100_000;

describe('An offer of another protocol', () => {
  let server: Server;
  let socket: Socket;
  let received: string;
  let asked: string[];
  /** Answers that have not ended. */
  let held: Response[];
  let ofServer: Socket;

  beforeEach(async () => {
    [received, asked, held] = ['', [], []];
    const app = express().use(async (request, response) => {
      let text = '';
      for await (const piece of request.setEncoding('utf8')) text += piece;
      asked.push(`${request.path} ${text}`);
      if (request.path === '/large') {
        // More than fits into the connection before its reader takes some of it.
        for (let count = 0; count < 100; count += 1) {
          if (!response.write('x'.repeat(pieceBytes))) await once(response, 'drain');
        }
      }
      if (request.path === '/held') held.push(response);
      else response.end(`<${request.path} ${text}>`);
    });
    server = serveUpgrades(createHttpServer(app), '/sockets', (_request, taken, head) => {
      taken.write(`<a WebSocket with ${head}>`);
    });
    server.on('connection', (opened: Socket) => {
      ofServer = opened;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    socket.on('data', (piece) => {
      received += piece.toString('latin1').replaceAll('x', '');
    });
  });
  afterEach(async () => {
    socket.destroy();
    await closeHttpServer(server, 0);
  });
  const answers = () => received.match(/<[^>]*>/g) ?? [];

  it('behind an answer that has not ended is passed over in its turn, and so is what follows', async () => {
    socket.write(ask('/held') + ask('/offered', '', offer) + ask('/later', 'two'));
    await eventually(() => held.length === 1);
    await new Promise<void>((sent) => socket.write(ask('/again', '', offer), () => sent()));
    expect(asked).toEqual(['/held ']);
    held[0]?.end('<held>');
    await eventually(() => answers().length === 4);
    expect(answers()).toEqual(['<held>', '</offered >', '</later two>', '</again >']);
  });

  it('with a body is answered with all of it, and whatever follows is answered too, or can be sent again', async () => {
    socket.write(ask('/offered', 'one', offer) + ask('/later', 'two'));
    await eventually(() => answers().length === 2 || socket.closed);
    expect(answers()[0]).toBe('</offered one>');
    // Newer Nodes hand over no body with an offer that is taken, and lose what they have read behind one that is not.
    if (answers().length === 1)
      expect([asked, received]).toEqual([['/offered one'], expect.stringMatching(/^connection: close\r$/im)]);
  });

  it('behind an answer that waits for its reader is passed over when that has had all of it', async () => {
    socket.pause();
    socket.write(ask('/large') + ask('/large') + ask('/offered', '', offer));
    await eventually(() => asked.length === 1 && ofServer.writableNeedDrain);
    await new Promise<void>((sent) => socket.write(ask('/later', 'two'), () => sent()));
    socket.resume();
    await eventually(() => answers().length === 4);
    expect(answers()).toEqual(['</large >', '</large >', '</offered >', '</later two>']);
  });

  it('of a WebSocket is taken when the answers before it have ended', async () => {
    const lines = ['host: x', 'connection: upgrade', 'upgrade: websocket'];
    socket.write(`${ask('/held')}GET /sockets HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\nits first bytes`);
    await eventually(() => held.length === 1);
    held[0]?.end('<held>');
    await eventually(() => answers().length === 2);
    expect(answers()).toEqual(['<held>', '<a WebSocket with its first bytes>']);
  });

  it.each(['breaks', 'is closed with the answer'])('is not served when its connection %s before', async (how) => {
    socket.write(ask('/held') + ask('/offered', '', offer));
    await eventually(() => held.length === 1);
    if (how === 'breaks') socket.resetAndDestroy();
    else held[0]?.set('connection', 'close').end('<held>');
    await eventually(() => ofServer.closed);
    await closeHttpServer(server, 0);
    expect(asked).toEqual(['/held ']);
  });

  it('does not keep a server from its end when the answer before it does not end', async () => {
    socket.write(ask('/held') + ask('/offered', '', offer));
    await eventually(() => held.length === 1);
    await closeHttpServer(server, 10);
    await eventually(() => held[0]?.closed === true);
  });

  it('leaves no listeners on its connection, however often it is made', async () => {
    const countListeners = () => ofServer.eventNames().map((name) => [name, ofServer.listenerCount(name)]);
    const offerOnce = async (count: number) => {
      socket.write(ask('/offered', '', offer));
      await eventually(() => answers().length === count);
    };
    await offerOnce(1);
    await offerOnce(2);
    const before = countListeners();
    for (let count = 3; count < 20; count += 1) await offerOnce(count);
    expect(countListeners()).toEqual(before);
  });
});
