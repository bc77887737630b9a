import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { eventually } from '../test/eventually.js';
import { closeHttpServer, createHttpServer } from './create-http-server.js';

const get = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'host: x', ...lines].join('\r\n')}\r\n\r\n`;
const endOfAnswer = '>'.charCodeAt(0);
const bigAnswer = Buffer.alloc(1_000_000, 'b');

describe('Requests of one connection', () => {
  let server: Server;
  let port: number;
  /** What was begun, in this order. */
  let begun: string[];
  /** How many the server was handed by Node. */
  let handedOver: number;
  let held: Response[];
  const open: Socket[] = [];

  beforeEach(async () => {
    [begun, handedOver, held] = [[], 0, []];
    const app = express().use(async (request, response) => {
      const { path } = request;
      begun.push(path);
      if (path === '/held') held.push(response);
      else if (path === '/big') response.end(bigAnswer);
      else if (path === '/last') response.set('connection', 'close').end('<last>');
      else {
        let body = '';
        for await (const piece of request.setEncoding('utf8')) body += piece;
        response.end(`<${path}${body}>`);
      }
    });
    server = createHttpServer(app).listen(0, '127.0.0.1');
    server.on('request', () => {
      handedOver += 1;
    });
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await closeHttpServer(server, 0);
  });

  /** Opens a connection, sends bytes, and tells what has come back and whether it has closed. */
  const send = (bytes: string, isRead = true) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    const came = { socket, text: '', count: 0, isClosed: false, answers: () => came.text.match(/<[^>]*>/g) ?? [] };
    socket.on('close', () => {
      came.isClosed = true;
    });
    if (isRead) {
      socket.on('data', (piece) => {
        came.text += piece.toString('latin1');
        for (const byte of piece) if (byte === endOfAnswer) came.count += 1;
      });
    }
    socket.write(bytes);
    return came;
  };
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();

  it('are all answered in order when 1,500 come in one go', async () => {
    const paths = Array.from({ length: 1_500 }, (_, index) => `/${index}`);
    const came = send(paths.map((path) => get(path)).join(''));
    await eventually(() => came.count === paths.length);
    expect(came.answers()).toEqual(paths.map((path) => `<${path}>`));
  });

  it('hold one answer at most while nobody reads it, and others are answered meanwhile', async () => {
    for (let count = 0; count < 4; count += 1) send(get('/big').repeat(1_500), false);
    await eventually(() => handedOver === 6_000 || open.some(({ destroyed }) => destroyed));
    expect(await ask('/other')).toBe('</other>');
    // What the system takes of each connection, some megabytes, has left; one answer more waits.
    expect(begun.filter((path) => path === '/big').length).toBeLessThan(4 * 15);
  });

  it('are begun one after the other, each once the answer before it has left', async () => {
    const came = send(get('/held') + get('/one') + get('/held') + get('/two'));
    await eventually(() => handedOver === 4);
    await ask('/other');
    expect(begun).toEqual(['/held', '/other']);
    held[0]?.end('<held>');
    await eventually(() => held.length === 2);
    expect(begun.slice(2)).toEqual(['/one', '/held']);
    held[1]?.end('<held>');
    await eventually(() => came.count === 4);
    expect(came.answers()).toEqual(['<held>', '</one>', '<held>', '</two>']);
  });

  it('are read no further while hundreds wait, and all of 10,000 are answered in order in the end', async () => {
    const paths = Array.from({ length: 10_000 }, (_, index) => `/${index}`);
    const came = send(get('/held') + paths.map((path) => get(path)).join(''));
    await eventually(() => handedOver > 256);
    for (let count = 0; count < 20; count += 1) await ask('/other');
    expect(handedOver).toBeLessThan(4_000);
    held[0]?.end('<held>');
    await eventually(() => came.count === 10_001);
    expect(came.answers()).toEqual(['<held>', ...paths.map((path) => `<${path}>`)]);
  }, 60_000);

  it('are cut off when thousands wait on all connections, and one with a single one that waits is not', async () => {
    const many = Array.from({ length: 24 }, () => send(get('/held') + get('/x').repeat(300)));
    await eventually(() => many.some(({ isClosed }) => isClosed));
    const single = send(get('/held') + get('/single'));
    await eventually(() => held.length === 25);
    for (const response of held) response.end('<held>');
    await eventually(() => single.count === 2);
    await eventually(() => many.every((came) => came.isClosed || came.count === 301));
    expect(many.some(({ isClosed }) => !isClosed)).toBe(true);
  });

  it('are not begun behind an answer that ends the connection', async () => {
    const came = send(get('/one') + get('/last') + get('/behind') + get('/behind'));
    await eventually(() => came.isClosed);
    await ask('/other');
    expect(came.answers()).toEqual(['</one>', '<last>']);
    expect(begun).not.toContain('/behind');
  });

  it('are told to go on with their bodies, and that they lack a host, in their turn', async () => {
    const waiting = 'POST /body HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n';
    const came = send(get('/held') + waiting);
    await eventually(() => handedOver === 2);
    await ask('/other');
    expect(came.text).toBe('');
    held[0]?.end('<held>');
    await eventually(() => came.text.includes('100 Continue'));
    came.socket.write(`,body${get('/held')}GET /none HTTP/1.1\r\n\r\n`);
    await eventually(() => held.length === 2);
    expect(came.text).not.toContain(' 400 ');
    held[1]?.end('<again>');
    await eventually(() => came.isClosed);
    expect(came.text).toMatch(/<held>.*100 Continue.*<\/body,body>.*<again>.* 400 Bad Request/s);
    expect(begun).not.toContain('/none');
  });
});
