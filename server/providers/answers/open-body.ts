import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { HttpExchange, ResponseHead } from '../http-exchange.js';
import { createUnreadableError } from '../upstream-error.js';

/** The body of an answer, as its provider wrote it. */
export interface AnswerBody extends Pick<HttpExchange, 'read'> {
  /** Called when no more of it is read. */
  close?(): void;
}

type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;
type OpenDecoder = (firstByte: number | undefined) => Decoder;

// What is cut off ends where it was cut: whether an answer is whole, its own words say. Some servers end a stream without the mark of its coding.
const orCut = { finishFlush: constants.Z_SYNC_FLUSH };
// Of deflate there are two forms in use; the low half of the first byte tells them apart.
const isWrapped = (firstByte: number | undefined): boolean => ((firstByte ?? 0) & 0x0f) === 8;
const decoders: ReadonlyMap<string, OpenDecoder> = new Map<string, OpenDecoder>([
  ['gzip', () => createGunzip(orCut)],
  ['x-gzip', () => createGunzip(orCut)],
  ['deflate', (firstByte) => (isWrapped(firstByte) ? createInflate(orCut) : createInflateRaw(orCut))],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

// An answer of words comes to a tenth or a twentieth of its size. What unpacks to far more was made to.
const unpackedBytesFree = 10 * 1024 * 1024;
const unpackedPerByteMax = 100;

/**
 * The body of an answer, unpacked where it came packed by gzip, brotli or deflate. None of these is asked for; gateways and networks in front of a
 * provider pack all the same. A header that is empty or says `identity`, in whatever case, changes nothing.
 * @returns a body whose `read` throws AppError `provider_error` for any other coding or more than one, for what cannot be unpacked, and for
 *   what unpacks to 100 times its size behind its first 10 MiB.
 */
export function openBody(
  exchange: Pick<HttpExchange, 'read'>,
  { headers }: ResponseHead,
  providerId: string,
): AnswerBody {
  const header = headers['content-encoding'];
  if (header === undefined) return exchange;
  const codings = [header]
    .flat()
    .join(',')
    .split(',')
    .map((coding) => coding.trim().toLowerCase());
  const [coding, ...others] = codings.filter((each) => each !== '' && each !== 'identity');
  if (coding === undefined) return exchange;
  const openDecoder = others.length === 0 ? decoders.get(coding) : undefined;
  if (openDecoder !== undefined) return new UnpackedBody(exchange, openDecoder, providerId);
  return {
    read: () => {
      throw createUnreadableError(providerId, 'a content-encoding that was not asked for');
    },
  };
}

/** Reads on only when all that came before is unpacked and taken, so that no more than some pieces of it are ever held. */
class UnpackedBody implements AnswerBody {
  #decoder: Decoder | null = null;
  #isFed = false;
  #isClosed = false;
  #failure: Error | null = null;
  #packedBytes = 0;
  #unpackedBytes = 0;
  #wakeReader: (() => void) | null = null;

  constructor(
    private readonly exchange: Pick<HttpExchange, 'read'>,
    private readonly openDecoder: OpenDecoder,
    private readonly providerId: string,
  ) {}

  async read(): Promise<Buffer | null> {
    while (!this.#isClosed) {
      const bytes = this.#decoder?.read() as Buffer | null | undefined;
      if (bytes) return this.#count(bytes);
      if (this.#failure !== null) throw createUnreadableError(this.providerId, 'a body that cannot be unpacked');
      if (this.#decoder?.readableEnded) return null;
      if (this.#isFed) await this.#nextNews();
      else await this.#feed();
    }
    return null;
  }

  close(): void {
    this.#isClosed = true;
    this.#decoder?.destroy();
    this.#wake();
  }

  async #feed(): Promise<void> {
    const packed = await this.exchange.read();
    if (this.#isClosed) return;
    this.#isFed = true;
    this.#decoder ??= this.#open(packed?.[0]);
    if (packed === null) {
      this.#decoder.end();
      return;
    }
    this.#packedBytes += packed.length;
    this.#decoder.write(packed, () => {
      this.#isFed = false;
      this.#wake();
    });
  }

  #open(firstByte: number | undefined): Decoder {
    const wake = (): void => this.#wake();
    return this.openDecoder(firstByte)
      .on('readable', wake)
      .on('end', wake)
      .on('error', (error) => {
        this.#failure = error;
        wake();
      });
  }

  #count(bytes: Buffer): Buffer {
    this.#unpackedBytes += bytes.length;
    const bytesMax = Math.max(unpackedBytesFree, this.#packedBytes * unpackedPerByteMax);
    if (this.#unpackedBytes > bytesMax) throw createUnreadableError(this.providerId, 'a body that unpacks to too much');
    return bytes;
  }

  #nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  #wake(): void {
    const wakeReader = this.#wakeReader;
    this.#wakeReader = null;
    wakeReader?.();
  }
}
