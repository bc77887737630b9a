import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import express from 'express';
import { eventually } from '../test/eventually.js';
import { SseWriter } from './calls/sse-writer.js';
import { closeHttpServer, createHttpServer } from './create-http-server.js';
import { StalledReaders } from './stalled-readers.js';

const answer = Buffer.alloc(64 * 1024 * 1024, 'x');
const pieceBytes = 4 * 1024 * 1024;

async function writeStream(response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const writer = new SseWriter(response, left.signal);
  while (!left.signal.aborted) await writer.write('x'.repeat(100_000));
}

describe('The reader of an answer', () => {
  let server: Server;
  /** Runs the server's look at all connections, as it does every five seconds. */
  let look: () => void;
  const open: Socket[] = [];
  let streamed: Promise<void> | null = null;
  beforeEach(async () => {
    mock.method(globalThis, 'setInterval', ((run: () => void, everyMs: number) => {
      expect(everyMs).toBe(5_000);
      look = run;
      return { unref: () => null };
    }) as never);
    const app = express().use(({ path }, response) => {
      if (path === '/stream') streamed = writeStream(response);
      else response.end(path === '/large' ? answer : 'small');
    });
    server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    mock.restoreAll();
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await closeHttpServer(server, 0);
  });

  /** Asks without reading. @returns the connection, and the server's end of it once the answer is written. */
  const ask = async (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    const [ofServer] = (await once(server, 'connection')) as [Socket];
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await eventually(() => ofServer.bytesWritten > 0);
    return { socket, ofServer };
  };
  const countUnsent = (ofServer: Socket) =>
    (ofServer as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
  const waitUntilFull = async (ofServer: Socket) => {
    for (let before = -1; before !== countUnsent(ofServer); await new Promise((resolve) => setTimeout(resolve, 50)))
      before = countUnsent(ofServer);
  };

  it('is cut off after 30 seconds in which none of it was taken, and connections with nothing to read are not', async () => {
    const [{ ofServer }, { ofServer: idle }] = [await ask('/large'), await ask('/small')];
    await waitUntilFull(ofServer);
    for (let count = 0; count < 6; count += 1) look();
    expect(ofServer.destroyed).toBe(false);
    look();
    expect([ofServer.destroyed, idle.destroyed]).toEqual([true, false]);
  });

  it('is cut off as well where the answer is a stream, whose writer then waits no longer', async () => {
    const { ofServer } = await ask('/stream');
    await waitUntilFull(ofServer);
    for (let count = 0; count < 6; count += 1) look();
    expect(ofServer.destroyed).toBe(false);
    look();
    await streamed;
    expect(ofServer.destroyed).toBe(true);
  });

  it('is not cut off while a part of it is taken now and then', async () => {
    const { socket, ofServer } = await ask('/large');
    await waitUntilFull(ofServer);
    for (let part = 0; part < 4; part += 1) {
      for (let count = 0; count < 5; count += 1) look();
      const unsent = countUnsent(ofServer);
      let taken = 0;
      socket.on('data', ({ length }) => {
        taken += length;
        if (taken > pieceBytes) socket.pause().removeAllListeners('data');
      });
      socket.resume();
      await eventually(() => taken > pieceBytes && countUnsent(ofServer) < unsent);
      await waitUntilFull(ofServer);
    }
    expect(ofServer.destroyed).toBe(false);
  });
});

describe('The reader who takes a little now and then', () => {
  const mebibyte = 1024 * 1024;
  const stream = { writableEnded: false, getHeader: () => 'text/event-stream; charset=utf-8' };

  /** Looks every five seconds at a reader who takes as much before each look. @returns how many looks it takes to cut them off. */
  const countLooks = (
    answer: { writableEnded: boolean; getHeader: () => string },
    takenEach: number,
    isBehindAt = (_look: number) => true,
  ) => {
    const readers = new StalledReaders();
    const socket = { writableLength: mebibyte, bytesWritten: 0 };
    const open = [[socket as unknown as Socket, new Set([answer])]] as const;
    for (let looks = 1; looks <= 1_000; looks += 1) {
      socket.bytesWritten += takenEach;
      socket.writableLength = isBehindAt(looks) ? mebibyte : 0;
      if (readers.look(open).length > 0) return looks;
    }
    return null;
  };

  it.each([
    ['an answer that lies ready', { writableEnded: true, getHeader: () => 'application/json' }, 4 * mebibyte],
    ['one that is written piece by piece', { writableEnded: false, getHeader: () => 'application/json' }, 4 * mebibyte],
    ['a stream that has ended', { ...stream, writableEnded: true }, 4 * mebibyte],
    ['a stream that goes on', stream, mebibyte / 4],
  ])('is cut off after ten minutes in which less than the least of it was taken: of %s', (_, answer, leastBytes) => {
    expect(countLooks(answer, 1)).toBe(121);
    expect(countLooks(answer, leastBytes / 120 - 1)).toBe(121);
    expect(countLooks(answer, leastBytes / 120 + 1)).toBeNull();
  });

  it('is measured as of a stream for the ten minutes in which it ended, and as of what lies ready from then on', () => {
    const leastEach = mebibyte / 4 / 120 + 1;
    const endingAt = (look: number) => {
      const answer = { ...stream };
      const isBehindAt = (at: number) => {
        answer.writableEnded = at >= look;
        return true;
      };
      return countLooks(answer, leastEach, isBehindAt);
    };
    expect(endingAt(120)).toBe(241);
    expect(endingAt(130)).toBe(361);
  });

  it('is not cut off where all was taken meanwhile', () => {
    expect(countLooks(stream, 1, (look) => look % 119 !== 0)).toBeNull();
  });

  it('is judged anew every ten minutes', () => {
    const readers = new StalledReaders();
    const socket = { writableLength: mebibyte, bytesWritten: 0 };
    const open = [[socket as unknown as Socket, new Set([stream])]] as const;
    for (let looks = 1; looks <= 241; looks += 1) {
      socket.bytesWritten += looks <= 121 ? mebibyte : 1;
      expect(readers.look(open)).toHaveLength(looks === 241 ? 1 : 0);
    }
  });
});
