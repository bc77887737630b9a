import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { AppError } from '../../kernel/app-error.js';
import { identifyBody, type ReceivedBody } from '../../proxy/requests/received-body.js';
import { BodyMemory } from './body-memory.js';
import { CallerPresence } from './caller-presence.js';
import { readBody } from './read-body.js';

const mebibyte = 1024 * 1024;

/** Hands a body over in pieces of one size, as a socket would. */
function receive(
  body: string | Buffer,
  { pieceBytes = 65_536, announced = true, memory = new BodyMemory(256 * mebibyte), headers = {} } = {},
) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const bytes = Buffer.from(body);
  if (announced) request.headers['content-length'] = String(bytes.length);
  const room = memory.open('account');
  const read = readBody(request, room);
  let given = 0;
  // One piece a turn, and no more once it was refused.
  const give = () => {
    if (given < bytes.length) {
      request.emit('data', bytes.subarray(given, given + pieceBytes));
      given += pieceBytes;
      setImmediate(give);
    } else request.emit('end');
  };
  setImmediate(give);
  return { read, room, memory };
}

const textOf = (body: ReceivedBody) => (body.isLarge ? Buffer.concat(body.blocks).toString() : body.text);
const codeOf = (read: Promise<unknown>) =>
  read.then(
    () => null,
    (error: AppError) => error.code,
  );

describe('readBody', () => {
  it.each([1, 7, 65_536])('reads a small body in pieces of %d bytes as it is', async (pieceBytes) => {
    const body = await receive('{"a":"grüße 🎉"}', { pieceBytes }).read;
    expect(body).toEqual({ isLarge: false, text: '{"a":"grüße 🎉"}' });
  });

  it.each([
    [mebibyte - 10, false],
    [mebibyte + 10, true],
    [3 * mebibyte, true],
    [5 * mebibyte + 1, true],
  ])('reads a body of %d bytes whole, and leaves a large one for another thread', async (length, isLarge) => {
    const sent = `"${'ä'.repeat(length / 2 - 1)}"`;
    const body = await receive(sent, { pieceBytes: 70_001 }).read;
    expect(body.isLarge).toBe(isLarge);
    expect(textOf(body) === sent).toBe(true);
    const hash = createHash('sha256').update(sent).digest('hex');
    expect(identifyBody(body) === (isLarge ? `sha256:${hash}` : sent)).toBe(true);
  });

  it('leaves a short body of many values for another thread', async () => {
    const body = await receive(`[${'1,'.repeat(6_000)}1]`).read;
    expect(body.isLarge).toBe(true);
  });

  it.each([
    ['values', `[${'1,'.repeat(100_000)}1]`],
    ['members', `{${'"a":1,'.repeat(100_000)}"a":1}`],
    ['lists', `[${'[],'.repeat(60_000)}1]`],
    ['levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['levels of a text that is no JSON', '{'.repeat(65)],
  ])('refuses too many %s', async (_, sent) => {
    expect(await codeOf(receive(sent, { pieceBytes: 1_000 }).read)).toBe('invalid_value');
  });

  it.each(['[1,[2,{}]]', '"[[[[,,,,\\\\\\"[[[["', JSON.stringify({ a: `\\"${'['.repeat(200)}` })])(
    'counts no sign inside of a text: %s',
    async (sent) => {
      for (const pieceBytes of [1, 3, 65_536]) expect(textOf(await receive(sent, { pieceBytes }).read)).toBe(sent);
    },
  );

  it.each([true, false])('refuses a body above 20 MB, announced: %s', async (announced) => {
    const { read, room, memory } = receive(Buffer.alloc(20 * mebibyte + 1, ' '), { announced });
    expect(await codeOf(read)).toBe('request_too_large');
    room.release();
    expect(memory.bytes).toBe(0);
  });

  it('takes the room for an announced body before it comes, and for others as they come', async () => {
    const body = Buffer.alloc(mebibyte, ' ');
    const announced = receive(body);
    expect(announced.memory.bytes).toBe(mebibyte);
    const other = receive(body, { announced: false });
    expect(other.memory.bytes).toBe(0);
    await Promise.all([announced.read, other.read]);
    expect([announced.memory.bytes, other.memory.bytes]).toEqual([mebibyte, mebibyte]);
  });

  it.each(['gzip', 'br', 'zstd', 'GZIP, identity'])(
    'refuses a body that is compressed by %s, and says how to send it',
    async (encoding) => {
      const { read } = receive('{}', { headers: { 'content-encoding': encoding } });
      const words = `"Content-Encoding: ${encoding}"`;
      await expect(read).rejects.toMatchObject({
        code: 'unsupported_media_type',
        message: expect.stringContaining(words),
      });
    },
  );

  it.each(['', ' ', 'Identity', 'identity, Identity'])(
    'takes a body whose encoding is none, said as "%s"',
    async (encoding) => {
      expect(textOf(await receive('{}', { headers: { 'content-encoding': encoding } }).read)).toBe('{}');
    },
  );

  it('keeps nothing of a body that there is no room for', async () => {
    const memory = new BodyMemory(4 * mebibyte);
    memory.take('account', mebibyte / 2);
    const { read } = receive(Buffer.alloc(mebibyte, ' '), { announced: false, memory });
    expect(await codeOf(read)).toBe('concurrency_limit_exceeded');
  });

  it('refuses for good what is larger than the largest body that there is room for', async () => {
    const memory = new BodyMemory(2 * mebibyte);
    for (const announced of [true, false]) {
      const { read, room } = receive(Buffer.alloc(mebibyte, ' '), { announced, memory });
      expect(await codeOf(read)).toBe('request_too_large');
      room.release();
    }
    expect(memory.bytes).toBe(0);
  });
});

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
    await expect(readBody(request, new BodyMemory(mebibyte).open('account'))).rejects.toThrow('The sender went away');
  });
});
