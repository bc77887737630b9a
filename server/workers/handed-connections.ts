import type { ChildProcess } from 'node:child_process';

/** What Node.js sends to a worker with a connection. */
interface HandOver {
  readonly cmd: 'NODE_CLUSTER';
  readonly act: 'newconn';
  readonly seq: number;
}

interface Closable {
  close(): void;
}

/**
 * Closes what was being handed to a worker that ends meanwhile: such a connection is nobody's, and Node.js itself keeps it open
 * until the process above ends, so that its client would wait for ever. Who sees it closed can call again. One that the worker had
 * taken already is only let go of here, which changes nothing for it. Call it once, right after the worker was made.
 *
 * There is no public way to these connections. This one changes nothing that Node.js does: it looks at what the worker is sent,
 * and at its replies. Should a Node.js send something else, nothing is found, and nothing closed.
 */
export function closeHandedConnections(worker: ChildProcess): void {
  const handed = new Map<unknown, Closable>();
  const send = worker.send as (...parameters: unknown[]) => boolean;
  worker.send = (...parameters: unknown[]) => {
    const [message, connection] = parameters;
    if (isHandOver(message) && isClosable(connection)) handed.set(message.seq, connection);
    return send.apply(worker, parameters);
  };
  // Also one that the worker refuses is not ours any more: it goes to another.
  worker.on('internalMessage', (reply: { readonly ack?: unknown } | null) => handed.delete(reply?.ack));
  // Not at its exit: replies may still be on their way then. Nor when its channel ends, which is not told while one is handed.
  worker.once('close', () => {
    for (const connection of handed.values()) connection.close();
    handed.clear();
  });
}

function isHandOver(message: unknown): message is HandOver {
  const { cmd, act, seq } = (message ?? {}) as Partial<HandOver>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined;
}

function isClosable(value: unknown): value is Closable {
  return typeof (value as Partial<Closable> | null | undefined)?.close === 'function';
}
