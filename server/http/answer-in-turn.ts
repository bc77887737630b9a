import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Answers one request; what is thrown is a fault of ours. */
export type AnswerRequest = (request: IncomingMessage, answer: ServerResponse) => void;

/**
 * With so many waiting on one connection, it is read no further; what it had sent in the piece that was read then, at most 64 KiB,
 * still comes.
 */
const unreadFrom = 256;
/** … until so few wait. */
const readAgainAt = 128;
/** With so many waiting on all connections, one that adds to them and has others waiting already is cut off. */
const waitingMax = 5_000;

interface Turns {
  readonly socket: Socket;
  /** In the order of arrival, without the one that is being answered. */
  readonly waiting: { readonly request: IncomingMessage; readonly answer: ServerResponse }[];
  /** Reads the connection on; null: nothing keeps it from being read. */
  readOn: (() => void) | null;
}

/**
 * Requests that came behind another one on their connection and wait for the end of its answer, so that a connection holds one
 * answer at most, and runs one call. Node hands over all requests of one read at once, and keeps each answer until its turn.
 */
export class WaitingRequests {
  readonly #turnsOf = new Map<Socket, Turns>();
  #count = 0;

  constructor(private readonly answerRequest: AnswerRequest) {}

  /** How many wait now, on all connections. */
  get count(): number {
    return this.#count;
  }

  /** Has a request wait for its turn, or cuts its connection off when too many wait. */
  add(request: IncomingMessage, answer: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const turns = this.#turnsOf.get(socket) ?? { socket, waiting: [], readOn: null };
    if (this.#count >= waitingMax && turns.waiting.length > 0) {
      socket.destroy();
      return;
    }
    this.#turnsOf.set(socket, turns);
    turns.waiting.push({ request, answer });
    this.#count += 1;
    if (turns.waiting.length >= unreadFrom && turns.readOn === null) turns.readOn = readNoFurther(answer, socket);
  }

  /** Says that an answer has ended: the next request has its turn, behind what else the event loop has to do. */
  admitNext(socket: Socket): void {
    const turns = this.#turnsOf.get(socket);
    if (turns !== undefined) setImmediate(() => this.#enter(turns));
  }

  /** Says that a connection has closed: what waits on it is never begun. */
  forget(socket: Socket): void {
    this.#count -= this.#turnsOf.get(socket)?.waiting.length ?? 0;
    this.#turnsOf.delete(socket);
  }

  #enter(turns: Turns): void {
    const { socket, waiting } = turns;
    // What was said to be the last answer was it: nobody would see the next one.
    if (this.#turnsOf.get(socket) !== turns || !socket.writable) return;
    const next = waiting.shift();
    if (next === undefined) return;
    this.#count -= 1;
    if (waiting.length === 0) this.#turnsOf.delete(socket);
    if (waiting.length <= readAgainAt) {
      turns.readOn?.();
      turns.readOn = null;
    }
    this.answerRequest(next.request, next.answer);
  }
}

/**
 * Node stops reading a connection by itself while more bytes of answers wait than it may buffer, and reads on afterwards. Nothing
 * else stops it for good: each read of a body would begin again. So it is told of as many bytes. @returns what takes that back.
 */
function readNoFurther(answer: ServerResponse, socket: Socket): () => void {
  const told = answer as ServerResponse & { readonly _onPendingData?: (bytes: number) => void };
  const bytes = socket.writableHighWaterMark + 1;
  told._onPendingData?.(bytes);
  return () => told._onPendingData?.(-bytes);
}
