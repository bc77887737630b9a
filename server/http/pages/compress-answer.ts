import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler, Response } from 'express';

/** Below that, the headers weigh as much as what is saved. */
const bytesMin = 1_024;
/** Above that, an answer leaves as it is: its compression would take memory and a thread for too long. */
const bytesMax = 4 * 1024 * 1024;
/** Answers that are compressed at once. Passwords and files need the same threads of Node, of which there are four. */
const atOnceMax = 2;
/** Quick to write, and a fifth of the size of usual JSON. */
const brotliQuality = 4;
const gzipLevel = 5;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
let underWay = 0;

/**
 * Compresses what `response.send` and `response.json` are given, where the reader takes brotli or gzip: texts of 1 kB to 4 MB,
 * two at once; any other leaves as it is, so that nobody waits for a compression. Streams are not touched. What carries a
 * secret beside words of a stranger must not come here; a request from another site never gets so far.
 */
export const compressAnswer: RequestHandler = (request, response, next) => {
  const send = response.send.bind(response);
  response.vary('accept-encoding');
  response.send = (body?: unknown) => {
    const encoding = request.acceptsEncodings('br', 'gzip');
    if (!encoding || !isWorthIt(body) || request.method === 'HEAD' || underWay >= atOnceMax) return send(body);
    void compress(body, encoding).then(
      (compressed) => sendCompressed(response, compressed, encoding),
      () => send(body),
    );
    return response;
  };
  next();
};

function isWorthIt(body: unknown): body is string {
  return typeof body === 'string' && body.length >= bytesMin && body.length <= bytesMax;
}

async function compress(body: string, encoding: string): Promise<Buffer> {
  underWay += 1;
  try {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    };
    return encoding === 'br' ? await compressBrotli(body, { params }) : await compressGzip(body, { level: gzipLevel });
  } finally {
    underWay -= 1;
  }
}

function sendCompressed(response: Response, compressed: Buffer, encoding: string): void {
  if (response.headersSent || response.destroyed) return;
  if (!response.hasHeader('content-type')) response.type('html');
  response.setHeader('content-encoding', encoding);
  response.setHeader('content-length', compressed.length);
  response.end(compressed);
}
