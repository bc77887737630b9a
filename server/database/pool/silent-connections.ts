import type { Socket } from 'node:net';
import type { Pool } from 'mysql2';
import { AwakeTimer } from '../../kernel/jobs/awake-timer.js';
import { socketOf } from './driver-inside.js';
import { SilentConnectionError } from './pool-errors.js';

/** So much of the silence is waited for once the rest of it has passed. */
const lastShare = 1 / 8;

/**
 * From now on a connection of this pool on which the server says nothing for so long while it is in use is cut, with a
 * `SilentConnectionError`. Node tells of a silence before it reads what came while this process stood still, so the last eighth of it is
 * waited for in any case: an answer that came meanwhile is no silence.
 * @param silenceMs In milliseconds.
 */
export function cutSilentConnections(pool: Pool, silenceMs: number): void {
  const heard = new WeakSet<Socket>();
  pool.on('acquire', (connection) => {
    const socket = socketOf(connection);
    socket.setTimeout(silenceMs * (1 - lastShare));
    if (heard.has(socket)) return;
    heard.add(socket);
    socket.on('timeout', () => cutUnlessHeard(socket, silenceMs));
  });
  pool.on('release', (connection) => socketOf(connection).setTimeout(0));
}

function cutUnlessHeard(socket: Socket, silenceMs: number): void {
  const { bytesRead } = socket;
  const last = new AwakeTimer(silenceMs * lastShare, () => {
    socket.off('close', stop);
    // Of one that was given back meanwhile nothing is expected.
    const isInUse = socket.timeout !== undefined && socket.timeout > 0;
    if (isInUse && socket.bytesRead === bytesRead) socket.destroy(new SilentConnectionError(silenceMs));
  });
  const stop = () => last.stop();
  socket.once('close', stop);
}
