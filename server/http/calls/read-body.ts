import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../kernel/app-error.js';
import { readUtf8 } from '../../kernel/json-body.js';
import { JsonGauge, type JsonLimits } from '../../kernel/json-gauge.js';
import { bodyLimits, createExcessError, type ReceivedBody } from '../../proxy/requests/received-body.js';
import { ReadingPace } from '../reading-pace.js';
import type { BodyRoom } from './body-memory.js';

/** Images dominate; beyond this a caller had better send links. Less where a process has little memory. */
export const bodyBytesMax = 20 * 1024 * 1024;

/** Beyond this even an upload that is only thrown away is cut. */
const discardedBytesMax = 128 * 1024 * 1024;

/** From here on a body is parsed and checked in a thread of its own: this thread would stand still for too long. */
const largeBytes = 1024 * 1024;
const largeValues = 5_000;

/** A body that is done with in one piece of work costs nothing for the pace of the others. */
const pacedFromBytes = 256 * 1024;
/** Of the one event loop, so of all bodies. */
const pace = new ReadingPace();

interface ReadingLimits {
  readonly bytesMax?: number;
  readonly limits?: JsonLimits;
}

/**
 * Reads a request's body, by hand, since this is the hot path. Its values and its nesting are counted as its bytes come in, and
 * the room for it is taken from the memory that all bodies share.
 *
 * A body that is refused is answered at once; the rest of it is read and thrown away, because a client that is still
 * sending when its connection is cut never sees the answer.
 * @throws AppError `unsupported_media_type` for one that is compressed, `invalid_json` for a small one that is not in UTF-8, `request_too_large`, `invalid_value` for one of more values or levels than `limits`, what `room` throws;
 *   or the connection's error when the sender goes away.
 */
export function readBody(
  request: IncomingMessage,
  room: BodyRoom,
  { bytesMax = Math.min(bodyBytesMax, room.largestBytes), limits = bodyLimits }: ReadingLimits = {},
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const gauge = new JsonGauge(limits);
    let body: BodyBytes | null = new BodyBytes();
    let bytes = 0;
    let isWhole = false;
    const refuse = (error: unknown): void => {
      body = null;
      reject(error);
    };
    const grow = (): void => {
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      room.growTo(bytes);
    };
    try {
      refuseEncoded(request.headers['content-encoding']);
      const announcedBytes = Number(request.headers['content-length'] ?? 0);
      if (announcedBytes > bytesMax) throw tooLarge(bytesMax);
      room.growTo(announcedBytes);
    } catch (error) {
      refuse(error);
    }
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > pacedFromBytes) pace.note(request, piece.length);
      if (body === null) {
        if (bytes > discardedBytesMax) request.destroy();
        return;
      }
      try {
        grow();
        gauge.push(piece);
        if (gauge.excess !== null) throw createExcessError(gauge.excess, limits);
        body.add(piece);
      } catch (error) {
        refuse(error);
      }
    });
    request.on('end', () => {
      isWhole = true;
      if (body === null) return;
      try {
        resolve(body.end(gauge.values));
      } catch (error) {
        refuse(error);
      }
    });
    request.on('error', reject);
    // Also of a body that had come whole: what was not read by then is gone with its connection.
    const noteGone = () => {
      // An error takes down the stack; the end of every good call comes by here.
      if (!isWhole) reject(new Error('The sender went away before its body was read.'));
    };
    if (request.destroyed) noteGone();
    request.on('close', noteGone);
  });
}

const blockBytes = 1024 * 1024;

/** The bytes of one body: as they came while they are few; then in blocks that another thread can take over as they are. */
class BodyBytes {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  #roomInBlock = 0;
  #hash: Hash | null = null;

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#hash === null && this.#bytes <= largeBytes) this.#pieces.push(piece);
    else {
      this.#moveToBlocks();
      this.#copy(piece);
    }
  }

  /** The body as a whole; nothing may be added after it. */
  end(values: number): ReceivedBody {
    if (this.#hash === null && values <= largeValues) {
      const [first] = this.#pieces;
      const whole = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
      return { isLarge: false, text: readUtf8(whole) };
    }
    const hash = this.#moveToBlocks().digest('hex');
    const last = this.#blocks.pop();
    const blocks = last ? [...this.#blocks, last.slice(0, last.length - this.#roomInBlock)] : [];
    return { isLarge: true, blocks, hash };
  }

  #moveToBlocks(): Hash {
    this.#hash ??= createHash('sha256');
    for (const piece of this.#pieces.splice(0)) this.#copy(piece);
    return this.#hash;
  }

  #copy(piece: Buffer): void {
    this.#hash?.update(piece);
    for (let from = 0; from < piece.length; ) {
      if (this.#roomInBlock === 0) {
        this.#blocks.push(new Uint8Array(blockBytes));
        this.#roomInBlock = blockBytes;
      }
      const part = piece.subarray(from, from + this.#roomInBlock);
      this.#blocks.at(-1)?.set(part, blockBytes - this.#roomInBlock);
      this.#roomInBlock -= part.length;
      from += part.length;
    }
  }
}

// What its bytes unpack to would have to be bounded and counted as well; clients hardly ever compress.
function refuseEncoded(encoding = ''): void {
  // Some clients send the header empty, or say twice that it is none.
  if (encoding.split(',').every((coding) => /^\s*(identity\s*)?$/i.test(coding))) return;
  const words = `The body has "Content-Encoding: ${encoding.slice(0, 64)}". Send it uncompressed, without that header.`;
  throw new AppError('unsupported_media_type', words);
}

function tooLarge(bytesMax: number): AppError {
  return new AppError(
    'request_too_large',
    `The body is larger than ${Math.floor(bytesMax / 1024 / 1024)} MB. Send smaller or fewer images.`,
  );
}
