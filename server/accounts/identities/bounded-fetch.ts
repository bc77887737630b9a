import { RunningWork } from '../../kernel/jobs/running-work.js';

export interface FetchBounds {
  /** From the request to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
  /** Requests that may be under way; a further one fails at once. Left out: any number. */
  readonly atOnceMax?: number;
}

/** No list of keys and no description of a user comes near; a provider that takes longer is away for whoever waits. */
export const providerBounds: FetchBounds = { timeoutMs: 5_000, bytesMax: 256 * 1_024, atOnceMax: 32 };

/** What the library of the protocol sends. */
interface Sent {
  readonly body?: unknown;
  readonly headers: Record<string, string>;
  readonly method: string;
  readonly signal?: AbortSignal | undefined;
}

/** As `fetch`, without following redirects, with an answer that is whole when it is handed over. @throws when a bound is reached. */
export function createBoundedFetch(bounds: FetchBounds) {
  const { atOnceMax = Number.POSITIVE_INFINITY } = bounds;
  const running = new RunningWork();
  return (url: string, sent: Sent): Promise<Response> => {
    if (running.count >= atOnceMax) return Promise.reject(createTooMany());
    return running.during(() => fetchWhole(url, sent, bounds));
  };
}

async function fetchWhole(
  url: string,
  { body, headers, method, signal }: Sent,
  { timeoutMs, bytesMax }: FetchBounds,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    headers,
    method,
    redirect: 'manual',
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    ...(body == null ? {} : { body: body as NonNullable<RequestInit['body']> }),
  });
  const { status, headers: answered } = response;
  const bytes = response.body === null ? null : await readBounded(response.body, bytesMax);
  return new Response(bytes === null || bytes.length === 0 ? null : bytes, { status, headers: answered });
}

function createTooMany(): Error {
  return Object.assign(new Error('Too many requests to the provider are under way.'), { code: 'TOO_MANY_AT_ONCE' });
}

async function readBounded(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > bytesMax) throw new Error(`The provider's answer has more than ${bytesMax} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
