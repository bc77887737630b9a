import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsOf } from './open-answers.js';

const lookMs = 5_000;
/** A reader who takes nothing from one look to so many later, 30 seconds, is taken for gone. */
const looksMax = 6;
/** In so many looks, 10 minutes, a reader who is behind all the time has to take so much: of a stream that goes on, … */
const paceLooks = 120;
const streamBytesMin = 256 * 1024;
/** … and of what lies ready, whose memory is held for nobody else. */
const readyBytesMin = 4 * 1024 * 1024;

type Answers = ReadonlySet<Pick<ServerResponse, 'writableEnded' | 'getHeader'>>;

interface Stall {
  readonly takenBytes: number;
  /** How often nothing had been taken since the look before. */
  readonly looks: number;
  /** What had been taken when the pace was measured last, and how many looks ago. */
  readonly pacedBytes: number;
  readonly pacedLooks: number;
  /** Whether a stream went on at any look since then: what of the time it took, it took as slowly as it was made. */
  readonly hasStreamed: boolean;
}

/**
 * Tells whose connection has bytes waiting of which its reader takes none, or hardly any, whoever wrote them. It counts looks and not
 * time, so that a process that stood still itself takes nobody for gone.
 */
export class StalledReaders {
  #stalls = new Map<Socket, Stall>();

  /** Looks at all open connections. @returns those whose reader has taken nothing for six looks, or too little for 120. */
  look(connections: Iterable<readonly [Socket, Answers]>): readonly Socket[] {
    const stalls = new Map<Socket, Stall>();
    const gone: Socket[] = [];
    for (const [socket, answers] of connections) {
      if (socket.writableLength === 0) continue;
      const stall = judge(this.#stalls.get(socket) ?? null, countTaken(socket), isStreaming(answers));
      const isPaceDue = stall.pacedLooks >= paceLooks;
      const bytesMin = stall.hasStreamed ? streamBytesMin : readyBytesMin;
      const isSlow = isPaceDue && stall.takenBytes - stall.pacedBytes < bytesMin;
      if (stall.looks >= looksMax || isSlow) gone.push(socket);
      stalls.set(socket, isPaceDue ? beginPace(stall.takenBytes, stall.looks, isStreaming(answers)) : stall);
    }
    this.#stalls = stalls;
    return gone;
  }
}

function judge(before: Stall | null, takenBytes: number, isStreaming: boolean): Stall {
  if (before === null) return beginPace(takenBytes, 0, isStreaming);
  const looks = before.takenBytes === takenBytes ? before.looks + 1 : 0;
  const hasStreamed = before.hasStreamed || isStreaming;
  return { ...before, takenBytes, looks, pacedLooks: before.pacedLooks + 1, hasStreamed };
}

function beginPace(takenBytes: number, looks: number, hasStreamed: boolean): Stall {
  return { takenBytes, looks, pacedBytes: takenBytes, pacedLooks: 0, hasStreamed };
}

// A stream comes as slowly as it is made, and some read it no faster than they speak.
function isStreaming(answers: Answers): boolean {
  const [answer] = answers;
  const isStream = String(answer?.getHeader('content-type')).startsWith('text/event-stream');
  return isStream && answer?.writableEnded === false;
}

/**
 * Cuts off every connection of a server that has bytes waiting and takes none for 30 to 35 seconds, or so little that what it holds
 * would be held for ever.
 */
export function cutStalledReaders(server: Server): void {
  const readers = new StalledReaders();
  let looking: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    clearInterval(looking);
    looking = setInterval(() => {
      for (const socket of readers.look(connectionsOf(server))) socket.destroy();
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
