import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type AnswerRequest, WaitingRequests } from './answer-in-turn.js';

type Connections = Map<Socket, Set<ServerResponse>>;

const noted = new WeakMap<Server, Connections>();

/** The open connections of a server, each with its answers that have not ended, in the order of their requests. */
export function connectionsOf(server: Server): ReadonlyMap<Socket, ReadonlySet<ServerResponse>> {
  return noted.get(server) ?? new Map();
}

/**
 * Has the requests of a server answered, those of one connection one after the other: the next one is begun once the answer before
 * it has left or its connection is gone. Each answer that was begun emits `close` once, whatever becomes of its connection: what it
 * has taken can be given back then. One that was never begun has taken nothing, and nobody listens to it.
 */
export function answerRequests(server: Server, answerRequest: AnswerRequest): void {
  const connections: Connections = new Map();
  const waiting = new WaitingRequests(answerRequest);
  noted.set(server, connections);
  server.on('connection', (socket: Socket) => {
    // It comes again when an offer of another protocol is passed over.
    if (connections.has(socket)) return;
    const answers = new Set<ServerResponse>();
    connections.set(socket, answers);
    socket.once('close', () => {
      connections.delete(socket);
      waiting.forget(socket);
    });
  });
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    const { socket } = request;
    const answers = connections.get(socket);
    if (answers === undefined) return;
    answers.add(answer);
    answer.once('close', () => {
      answers.delete(answer);
      if (answers.size > 0) waiting.admitNext(socket);
    });
    if (answers.size === 1) answerRequest(request, answer);
    else waiting.add(request, answer);
  });
}

/**
 * Calls `next` once the answers of a connection have ended, at once when there are none, and never when nothing more can be
 * written to it. For one that Node has let go of, as it does for an offer of another protocol.
 */
export function afterAnswers(server: Server, socket: Socket, next: () => void): void {
  const answers = connectionsOf(server).get(socket) ?? new Set<ServerResponse>();
  const last = [...answers].at(-1);
  if (last === undefined) {
    next();
    return;
  }
  const destroy = () => void socket.destroy();
  // Node does this no more, and an answer that waits for its reader would wait for ever.
  const tellDrained = () => {
    for (const answer of answers) if (answer.socket === socket) answer.emit('drain');
  };
  // Keeps what comes meanwhile in the socket, also when Node resumes it for the answers.
  const keep = () => {};
  socket.on('error', destroy).on('drain', tellDrained).on('readable', keep);
  last.once('close', () => {
    if (!socket.writable) return;
    socket.off('error', destroy).off('drain', tellDrained).off('readable', keep);
    // The time that Node gives an idle connection has begun with the end of the answer.
    socket.setTimeout(0);
    next();
  });
}
