import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsOf } from './open-answers.js';

const lookMs = 5_000;
/** A reader who takes nothing from one look to so many later, 30 seconds, is taken for gone. */
const looksMax = 6;

interface Stall {
  readonly takenBytes: number;
  readonly looks: number;
}

/**
 * Tells whose connection has bytes waiting of which its reader takes none, whoever wrote them. It counts looks and not time, so
 * that a process that stood still itself takes nobody for gone.
 */
export class StalledReaders {
  #stalls = new Map<Socket, Stall>();

  /** Looks at all open connections. @returns those whose reader has taken nothing for six looks. */
  look(sockets: Iterable<Socket>): readonly Socket[] {
    const stalls = new Map<Socket, Stall>();
    const gone: Socket[] = [];
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue;
      const takenBytes = countTaken(socket);
      const before = this.#stalls.get(socket);
      const looks = before?.takenBytes === takenBytes ? before.looks + 1 : 0;
      stalls.set(socket, { takenBytes, looks });
      if (looks >= looksMax) gone.push(socket);
    }
    this.#stalls = stalls;
    return gone;
  }
}

/** Cuts off every connection of a server that has bytes waiting and takes none for 30 to 35 seconds. */
export function cutStalledReaders(server: Server): void {
  const readers = new StalledReaders();
  let looking: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    clearInterval(looking);
    looking = setInterval(() => {
      for (const socket of readers.look(connectionsOf(server).keys())) socket.destroy();
    }, lookMs).unref();
  });
  server.on('close', () => clearInterval(looking));
}

// The bytes that the system has taken of what was written: a large answer is one write, of which Node says nothing before its end.
// Its own idle timeout goes by the same figure.
function countTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}
