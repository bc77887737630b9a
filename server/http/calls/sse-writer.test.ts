import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { eventually } from '../../test/eventually.js';
import { SseWriter } from './sse-writer.js';

const done = 'data: [DONE]\n\n';

describe('SseWriter', () => {
  const server = createServer();
  let response: ServerResponse;
  let reader: Socket;
  let received = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    received = '';
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    reader.on('data', (bytes) => {
      received += bytes;
    });
    reader.on('error', () => {});
    reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  });
  afterEach(() => {
    mock.restoreAll();
    reader.destroy();
  });

  const readUntil = (text: string) => eventually(() => received.includes(text));
  /** The writer's one timer, which the tests run by hand: the mock timers of Node.js 20 know no `refresh`. */
  let interval = { passedMs: 0, everyMs: 0, run: () => {}, refresh: () => {} };
  const freezeTime = () => {
    mock.method(globalThis, 'setInterval', ((run: () => void, everyMs: number) => {
      const refresh = () => {
        interval.passedMs = 0;
      };
      interval = { passedMs: 0, everyMs, run, refresh };
      return interval;
    }) as never);
    mock.method(globalThis, 'clearInterval', () => {});
  };
  const passTime = (ms: number) => {
    interval.passedMs += ms;
    for (; interval.passedMs >= interval.everyMs; interval.passedMs -= interval.everyMs) interval.run();
  };

  it('sends no header before the first event, so that a failure can still have a status', () => {
    const writer = new SseWriter(response, new AbortController().signal);
    expect(writer.hasBegun).toBe(false);
    expect(response.headersSent).toBe(false);
  });

  it('writes a comment after 15 seconds without an event, each time, and none between quick ones', async () => {
    freezeTime();
    const writer = new SseWriter(response, new AbortController().signal);
    for (let event = 0; event < 40; event += 1) {
      await writer.write(`data: ${event}\n\n`);
      passTime(14_999);
    }
    await readUntil('data: 39');
    expect(received).not.toContain(': keep-alive\n\n');
    passTime(1);
    await readUntil(': keep-alive\n\n');
    passTime(30_000);
    writer.end(done);
    await readUntil('[DONE]');
    expect(received.split(': keep-alive\n\n')).toHaveLength(4);
  });

  it('writes no comment to a reader who is behind, and waits for him', async () => {
    freezeTime();
    reader.pause();
    const writer = new SseWriter(response, new AbortController().signal);
    const waiting = (async () => {
      for (let event = 0; event < 1_000; event += 1) await writer.write('x'.repeat(100_000));
    })();
    await eventually(() => response.writableNeedDrain);
    const before = response.writableLength;
    passTime(20_000);
    expect(response.writableLength).toBeLessThanOrEqual(before);
    reader.destroy();
    response.destroy();
    mock.restoreAll();
    await Promise.race([waiting, once(response, 'close')]).catch(() => {});
  });

  it('stops waiting at once when the reader leaves, writes nothing more', async () => {
    const leaving = new AbortController();
    const writer = new SseWriter(response, leaving.signal);
    reader.pause();
    const waiting = (async () => {
      while (!leaving.signal.aborted) await writer.write('x'.repeat(1_000));
    })();
    await eventually(() => response.writableNeedDrain);
    leaving.abort(new Error('The caller has left.'));
    await waiting;
    expect(response.destroyed).toBe(true);
    await writer.write('data: more\n\n');
    writer.end(done);
  });

  it('keeps what it was to keep, also what comes after the reader has left', async () => {
    const leaving = new AbortController();
    const writer = new SseWriter(response, leaving.signal, { tryGrowBy: () => true });
    await writer.write('data: one\n\n');
    leaving.abort(new Error('The caller has left.'));
    await writer.write('data: two\n\n');
    expect(writer.kept?.join('')).toBe('data: one\n\ndata: two\n\n');
  });

  it('keeps what is longer than a million characters as long as there is room for it, and then nothing', () => {
    let bytesLeft = 500_000;
    const room = {
      tryGrowBy: (bytes: number) => {
        if (bytes > bytesLeft) return false;
        bytesLeft -= bytes;
        return true;
      },
    };
    const writer = new SseWriter(response, AbortSignal.abort(), room);
    const event = `data: ${'x'.repeat(9_992)}\n\n`;
    for (let events = 0; events < 150; events += 1) writer.write(event);
    expect(writer.kept?.join('')).toBe(event.repeat(150));
    expect(bytesLeft).toBe(0);
    writer.write(event);
    expect(writer.kept).toBeNull();
  });

  it('waits for its reader as long as the connection stands, and no longer', async () => {
    reader.pause();
    const left = new AbortController();
    response.once('close', () => left.abort());
    const writer = new SseWriter(response, left.signal);
    let waiting: Promise<void> | null = null;
    while (waiting === null) waiting = writer.write('x'.repeat(100_000));
    response.socket?.destroy();
    await waiting;
    expect(response.destroyed).toBe(true);
  });

  describe('over HTTP', () => {
    /** What a client of Node reads of what is written. */
    const readBack = async (write: (writer: SseWriter, response: ServerResponse) => Promise<void> | void) => {
      const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
      const answering = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const [, asking] = await asked;
      const writer = new SseWriter(asking, new AbortController().signal);
      await write(writer, asking);
      return (await answering).text();
    };

    it('is read back as it was written, in pieces of any size and characters of any width', async () => {
      const pieces = ['a', 'é', '€', '😀', '\ud800', '\r\n', '0\r\n\r\n', 'x'.repeat(70_000), '漢字'.repeat(9_000)];
      const written = pieces.map((piece) => `data: ${piece}\n\n`);
      const text = await readBack(async (writer) => {
        for (const event of written) {
          await writer.write(event);
          await new Promise(setImmediate);
        }
        writer.end(done);
      });
      expect(text).toBe(`${written.join('').replace('\ud800', '\ufffd')}${done}`);
    });

    it.each([
      ['before anything else', []],
      ['behind what waits to leave', ['data: one\n\n']],
    ])('ends well with no last event %s', async (_when, events) => {
      const text = await readBack((writer) => {
        for (const event of events) writer.write(event);
        writer.end('');
      });
      expect(text).toBe(events.join(''));
    });

    it('is read whole where others write on behind it', async () => {
      const text = await readBack((writer, asking) => {
        writer.write('data: one €\n\n');
        writer.handBack();
        asking.write('data: two €\n\n');
        asking.end('data: three\n\n');
      });
      expect(text).toBe('data: one €\n\ndata: two €\n\ndata: three\n\n');
    });

    it('has a comment in its frame as well', async () => {
      const text = await readBack(async (writer) => {
        freezeTime();
        writer.begin();
        passTime(15_000);
        mock.restoreAll();
        writer.end(done);
      });
      expect(text).toBe(`: keep-alive\n\n${done}`);
    });

    it('is the text alone for a reader of HTTP/1.0, and its end that of the connection', async () => {
      const old = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let answer = '';
      old.on('data', (bytes) => {
        answer += bytes;
      });
      const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
      old.write('GET / HTTP/1.0\r\n\r\n');
      const [, asking] = await asked;
      const writer = new SseWriter(asking, new AbortController().signal);
      writer.write('data: one\n\n');
      writer.end(done);
      await once(old, 'close');
      expect(answer.split('\r\n\r\n')[1]).toBe(`data: one\n\n${done}`);
      expect(answer).not.toMatch(/transfer-encoding/i);
    });
  });
});
