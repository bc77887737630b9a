import type { IncomingMessage } from 'node:http';
import { AppError } from '../kernel/app-error.js';

/** Images dominate; beyond this a caller had better send links. */
export const bodyBytesMax = 20 * 1024 * 1024;

/** Beyond this even an upload that is only thrown away is cut. */
const discardedBytesMax = 128 * 1024 * 1024;

/**
 * Reads a request's body as text, by hand, since this is the hot path.
 *
 * A body that is too large is answered at once; the rest of it is read and thrown away, because a client that is still
 * sending when its connection is cut never sees the answer.
 * @throws AppError `request_too_large`, or the connection's error when the sender goes away.
 */
export function readBodyText(request: IncomingMessage, bytesMax: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    if (announcedBytes > bytesMax) reject(tooLarge(bytesMax));
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= bytesMax) pieces.push(piece);
      else {
        pieces.length = 0;
        reject(tooLarge(bytesMax));
        if (bytes > discardedBytesMax) request.destroy();
      }
    });
    request.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    request.on('error', reject);
    // Also of a body that had come whole: what was not read by then is gone with its connection.
    const noteGone = () => reject(new Error('The sender went away before its body was read.'));
    if (request.destroyed) noteGone();
    request.on('close', noteGone);
  });
}

function tooLarge(bytesMax: number): AppError {
  return new AppError(
    'request_too_large',
    `The body is larger than ${Math.floor(bytesMax / 1024 / 1024)} MB. Send smaller or fewer images.`,
  );
}
